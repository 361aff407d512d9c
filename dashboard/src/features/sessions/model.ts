/** Prepares the data of a session page. */
import type { Api } from '@/api'
import type { SessionEvent } from '@/api/events'
import { plural, until } from '@/lib/format'
import { repeated } from '@/lib/repeated'
import { follow, readJson } from '@/lib/json-text'
import { BY_PERSON, isByPerson } from '@/lib/run-facts'
import type { Tone } from '@/lib/status'

export interface Verdict {
  tone: Tone
  title: string
  /** The number of used and allowed retries. */
  retries: string | null
  errors: string[]
}

interface ContractLike {
  max_retries?: unknown
}

function maxRetries(contract: unknown): number | null {
  const value = (contract as ContractLike | null | undefined)?.max_retries
  return typeof value === 'number' ? value : null
}

const CONTRACT_FAILURES = ['output_schema_validation_failed', 'schema_validation_failed']

/** Outcomes of attempts that ended before there was an answer to validate. */
const UNANSWERED: readonly Api.Outcome[] = [
  'refused', 'schema_rejected', 'transport', 'failed', 'budget_exhausted', 'timed_out', 'stopped',
]

/** Whether a run ended without a result, but not because of its contract. Its verdict then depends on its attempts. */
export function endedOtherwise(run: Api.RunView): boolean {
  if (run.status === 'stopped') return true
  return run.status === 'failed' && !CONTRACT_FAILURES.includes(run.error?.type ?? '')
}

/**
 * Whether the output matched the contract. Null without a contract, or while the attempts are needed but not loaded.
 */
export function verdictOf(run: Api.RunView, attempts: readonly Api.Attempt[] | undefined): Verdict | null {
  if (!run.contract && !run.contract_origin) return null
  const maxRetryCount = maxRetries(run.contract)
  if (run.status === 'completed') {
    const validation = run.result?.schema_validation
    if (isByPerson(validation?.source)) return { tone: 'success', title: 'Output Schema: Valid', retries: BY_PERSON, errors: [] }
    const used = validation?.retry_count ?? 0
    const retries = used === 0 ? 'Accepted on the first attempt' : `Accepted after ${plural(used, 'retry', 'retries')}`
    return { tone: 'success', title: 'Output Schema: Valid', retries, errors: [] }
  }
  if (run.status === 'failed' && run.error && CONTRACT_FAILURES.includes(run.error.type)) {
    return {
      tone: 'danger',
      title: 'Output Schema: Validation Failed',
      retries: retriesOf(run.error.attempts ?? null, maxRetryCount),
      errors: run.error.validation_errors ?? [],
    }
  }
  if (endedOtherwise(run)) return attempts === undefined ? null : endedEarly(run, attempts)
  const allowed = maxRetryCount === null ? null : `Up to ${plural(maxRetryCount, 'retry', 'retries')}`
  return { tone: 'info', title: 'Output Schema: enforced', retries: allowed, errors: [] }
}

/** The verdict on a run that ended for another reason. Its answers may have been validated before. */
function endedEarly(run: Api.RunView, attempts: readonly Api.Attempt[]): Verdict {
  const judged = attempts.filter(({ outcome }) => !UNANSWERED.includes(outcome))
  if (judged.length === 0 || judged.some(({ outcome }) => outcome === 'accepted')) {
    return { tone: 'neutral', title: 'Output Schema: not validated', retries: null, errors: [] }
  }
  const retries = `${plural(judged.length, 'answer', 'answers')} did not conform`
  return { tone: 'danger', title: 'Output Schema: not met', retries, errors: run.error?.validation_errors ?? [] }
}

/** `Retry attempts: 1/1 exhausted`. Fewer than allowed if another retry would not have helped. */
export function retriesOf(attempts: number | null, maxRetryCount: number | null): string | null {
  if (attempts === null || maxRetryCount === null) return null
  const used = Math.min(Math.max(0, attempts - 1), maxRetryCount)
  return `Retry attempts: ${used}/${maxRetryCount}${used === maxRetryCount ? ' exhausted' : ''}`
}

export type Entry =
  | { kind: 'state'; key: string; at: string; label: string; detail: string | null; tone: Tone; run: string | null }
  | { kind: 'message'; key: string; at: string; role: string; text: string }
  | { kind: 'tool'; key: string; at: string; name: string; arguments: string; output: string | null; ok: boolean | null }
  | { kind: 'attempt'; key: string; at: string; attempt: Api.Attempt; run: string | null }
  | { kind: 'result'; key: string; at: string; text: string }

/** The id of the first event of a run; null if it is the first run of the timeline, or has no events. */
export function startOfRunIn(events: readonly Pick<SessionEvent, 'id' | 'run_id'>[], runId: string): string | null {
  const first = events.find(({ run_id }) => run_id !== null && run_id !== undefined)
  const own = events.find(({ run_id }) => run_id === runId)
  return own === undefined || own === first ? null : String(own.id)
}

/** The timeline has one entry per event, except that a tool call and its result are one entry. */
export function timelineOf(events: SessionEvent[]): Entry[] {
  const entries: Entry[] = []
  const calls = new Map<string, Extract<Entry, { kind: 'tool' }>>()
  for (const event of events) {
    // Deltas are shown as live output, and the complete text comes as a message.
    if (event.type === 'output.delta') continue
    if (event.type === 'tool.finished') {
      const call = calls.get(`${event.run_id} ${event.call_id}`)
      if (call !== undefined) {
        call.output = event.output
        call.ok = event.ok
        continue
      }
    }
    const entry = entryOf(event)
    if (entry.kind === 'tool' && event.type === 'tool.started') calls.set(`${event.run_id} ${event.call_id}`, entry)
    entries.push(entry)
  }
  return entries
}

function entryOf(event: SessionEvent): Entry {
  const key = String(event.id)
  const { at } = event
  const run = event.run_id ?? null
  const state = (label: string, detail: string | null = null, tone: Tone = 'neutral'): Entry => ({
    kind: 'state', key, at, label, detail, tone, run,
  })
  switch (event.type) {
    case 'message':
      return { kind: 'message', key, at, role: event.role, text: event.text }
    case 'tool.started':
      return {
        kind: 'tool', key, at, name: event.name, arguments: event.written ?? '', output: null, ok: null,
      }
    case 'tool.finished':
      return { kind: 'tool', key, at, name: event.name, arguments: '', output: event.output, ok: event.ok }
    case 'request.repeated':
      return state('Request repeated', repeated(event), 'warning')
    case 'attempt.judged':
      return { kind: 'attempt', key, at, attempt: event.attempt, run }
    case 'result':
      return { kind: 'result', key, at, text: event.result_text ?? event.written ?? 'null' }
    case 'session.created':
      return state('Session created', event.agent_name)
    case 'run.queued':
      return state(event.reason ? 'Queued again' : 'Queued', event.reason ?? null, event.reason ? 'warning' : 'neutral')
    case 'run.claimed':
      return state('Claimed by a runner', `${event.runner_id} · delivery ${event.attempt}`)
    case 'run.started':
      return state('Run started', null, 'info')
    case 'run.waiting':
      return state('Waiting', waitingFor(event.children.length, event.until, Date.now()), 'info')
    case 'run.input_required':
      return state('Input required', `${plural(event.inputs.length, 'request')}${event.until ? ` until ${until(event.until, Date.now())}` : ''}`, 'warning')
    case 'input.closed':
      return state(`Input ${event.status}`, event.input_id, event.status === 'answered' ? 'success' : 'warning')
    case 'run.completed':
      return state('Run completed', null, 'success')
    case 'run.failed':
      return state('Run failed', event.error.message, 'danger')
    case 'run.stopped':
      return state('Run stopped')
    case 'callback.delivered':
      return state('Child results delivered', plural(event.children.length, 'child', 'children'), 'info')
    case 'callback.held':
      return state('Child results not delivered', `${plural(event.children.length, 'child', 'children')}: ${event.message}`, 'warning')
    default:
      return state((event as { type: string }).type)
  }
}

/** `for 2 child sessions until 14:05`. */
export function waitingFor(children: number, end: string | null | undefined, now: number): string {
  return `for ${plural(children, 'child session')}${end ? ` until ${until(end, now)}` : ''}`
}

/** Describes the runner that a run requires: `a runner with llm · tags gpu`. */
export function requiredRunner({ hostname, project_dir: folder, executor_type: executor, tags = [] }: Api.Demands): string {
  const demands = [executor, hostname && `host ${hostname}`, folder && `folder ${folder}`, tags.length > 0 && `tags ${tags.join(', ')}`]
  const requirements = demands.filter(Boolean).join(' · ')
  return requirements === '' ? 'a runner' : `a runner with ${requirements}`
}

/** Child results that are held until somebody acts, grouped by reason. Others will be delivered automatically. */
export function heldOf({ undelivered_callbacks: undelivered = [] }: Api.SessionView): { message: string; children: string[] }[] {
  const held = new Map<string, string[]>()
  for (const { held: reason, message, session_id: child } of undelivered) {
    if (reason) held.set(message ?? reason, [...(held.get(message ?? reason) ?? []), child])
  }
  return [...held].map(([message, children]) => ({ message, children }))
}

/** The text of a run's result, with the digits of numbers; null if there is none. */
export function resultTextOf(runText: string): { json: boolean; text: string } | null {
  const run = readJson(runText).node
  if (run === null) return null
  const data = follow(run, ['result', 'result_data'])
  if (data.depth === 2 && data.node.kind !== 'null') {
    return { json: true, text: runText.slice(data.node.start, data.node.end) }
  }
  const freeText = follow(run, ['result', 'result_text'])
  if (freeText.depth === 2 && freeText.node.kind === 'string') {
    return { json: false, text: JSON.parse(runText.slice(freeText.node.start, freeText.node.end)) as string }
  }
  return null
}

/** The id of an attempt in the URL. Attempt numbers start over with each delivery of a run. */
export function attemptId(attempt: Api.Attempt): string {
  return `${attempt.delivery}-${attempt.number}`
}

/**
 * Whether a schema can accept parameters that only have a prompt. Returns false only if it certainly cannot; the server
 * validates the rest.
 */
export function acceptsPrompt(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return schema !== false
  const { required, properties, additionalProperties } = schema as {
    required?: unknown
    properties?: Record<string, unknown>
    additionalProperties?: unknown
  }
  if (Array.isArray(required) && required.some((name) => name !== 'prompt')) return false
  const prompt = properties?.prompt
  if (prompt === undefined) return additionalProperties !== false
  const type = (prompt as { type?: unknown } | null)?.type ?? 'string'
  return prompt !== false && [type].flat().includes('string')
}

/** Why a run failed. */
export function failureOf(run: Api.RunView): { type: string; message: string } | null {
  return run.error ? { type: run.error.type, message: run.error.message } : null
}

/** The run whose input is used to run again: the selected one, or the session's first if it resumed the session. Runs are newest first. */
export function firstRunOf(runs: readonly Pick<Api.RunView, 'run_id' | 'type'>[], runId: string): string {
  const shown = runs.find((run) => run.run_id === runId)
  return shown?.type === 'resume_session' ? (runs.findLast((run) => run.type === 'start_session')?.run_id ?? runId) : runId
}
