import type { QueryKey } from '@tanstack/react-query'
import { queryKeys } from './keys'

/** The event fields that live updates need. Unknown types are allowed. */
export interface LiveEvent {
  id: string
  type: string
  session_id: string
  run_id: string | null
  workflow_run_id: string | null
  parent_session_id: string | null
}

/** The queries that an event invalidates. The only place that decides about live updates. */
export function touchedBy(event: LiveEvent): QueryKey[] {
  // A timeline only fetches new events.
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
    default:
      return []
  }
}

/** Output of a node while it runs. It is shown in the node's session and does not change the workflow run. */
const OUTPUT_EVENTS = ['message', 'output.delta', 'tool.started', 'tool.finished', 'request.repeated']

function workflowTouchedBy(event: LiveEvent): QueryKey[] {
  if (event.workflow_run_id === null) return event.type.startsWith('workflow.') ? [queryKeys.workflowRuns.all] : []
  if (OUTPUT_EVENTS.includes(event.type)) return []
  return [queryKeys.workflowRuns.one(event.workflow_run_id), queryKeys.workflowRuns.lists]
}

/** Parses the data of a server-sent event; null if it is not an event of this API. */
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
