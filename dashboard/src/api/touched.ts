import type { QueryKey } from '@tanstack/react-query'
import { queryKeys } from './keys'

/** What this page needs to know of an event; kinds that it does not know are fine. */
export interface LiveEvent {
  id: string
  type: string
  session_id: string
  run_id: string | null
  workflow_run_id: string | null
  parent_session_id: string | null
}

/** Which queries an event makes stale. Pure: the one place where live updates are decided. */
export function touchedBy(event: LiveEvent): QueryKey[] {
  // A timeline only looks up what has come since.
  const timeline = event.session_id === '' ? [] : [queryKeys.sessions.events(event.session_id)]
  return [...timeline, ...statesTouchedBy(event), ...workflowTouchedBy(event)]
}

function statesTouchedBy(event: LiveEvent): QueryKey[] {
  const session = [queryKeys.sessions.one(event.session_id), queryKeys.sessions.lists]
  const run = event.run_id === null ? [] : [queryKeys.runs.one(event.run_id), queryKeys.runs.lists]
  switch (event.type) {
    case 'session.created':
      return event.parent_session_id === null
        ? session
        : [...session, queryKeys.sessions.children(event.parent_session_id)]
    case 'run.queued':
    case 'run.claimed':
    case 'run.started':
    case 'run.waiting':
      return [...session, ...run, queryKeys.runners.all]
    case 'run.input_required':
    case 'input.closed':
      return [...session, ...run, queryKeys.inputs.all]
    case 'run.completed':
    case 'run.failed':
    case 'run.stopped':
      // The open requests of a run are withdrawn when it ends.
      return [...session, ...run, queryKeys.runners.all, queryKeys.stats.all, queryKeys.inputs.all]
    case 'attempt.judged':
      return event.run_id === null ? [] : [queryKeys.runs.attempts(event.run_id), queryKeys.runs.one(event.run_id)]
    case 'result':
      return event.run_id === null ? [] : [queryKeys.runs.result(event.run_id)]
    case 'callback.delivered':
    case 'callback.held':
      return [...session, queryKeys.sessions.children(event.session_id)]
    case 'message':
    case 'output.delta':
    case 'tool.started':
    case 'tool.finished':
    case 'request.repeated':
      return []
    default:
      return []
  }
}

/** What is said while a node works is in its session; a run of a workflow changes with the states of its parts. */
const SAID = ['message', 'output.delta', 'tool.started', 'tool.finished', 'request.repeated']

function workflowTouchedBy(event: LiveEvent): QueryKey[] {
  if (event.workflow_run_id === null) return event.type.startsWith('workflow.') ? [queryKeys.workflowRuns.all] : []
  if (SAID.includes(event.type)) return []
  return [queryKeys.workflowRuns.one(event.workflow_run_id), queryKeys.workflowRuns.lists]
}

/** Reads the data of one server-sent event; null where it is none of ours. */
export function readEvent(id: string, data: string): LiveEvent | null {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const text = (name: string): string | null => {
    const found = (value as Record<string, unknown>)[name]
    return typeof found === 'string' ? found : null
  }
  const type = text('type')
  if (type === null) return null
  return {
    id,
    type,
    session_id: text('session_id') ?? '',
    run_id: text('run_id'),
    workflow_run_id: text('workflow_run_id'),
    parent_session_id: text('parent_session_id'),
  }
}
