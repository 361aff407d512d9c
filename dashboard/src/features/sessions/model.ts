/** What a session's page shows, made from what the server says. Pure. */
import type { Api } from '@/api'
import type { Happened } from '@/api/events'
import { plural, until } from '@/lib/format'
import { repeated } from '@/lib/repeated'
import { follow, readJson } from '@/lib/json-text'
import { BY_PERSON, isByPerson } from '@/lib/run-facts'
import type { Tone } from '@/lib/status'

export interface Verdict {
  tone: Tone
  title: string
  /** How many retries were used, of how many. */
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

/** Attempts that ended before there was an answer to judge. */
const UNANSWERED: readonly Api.Outcome[] = [
  'refused', 'schema_rejected', 'transport', 'failed', 'budget_exhausted', 'timed_out', 'stopped',
]

/** Whether the verdict of a run needs its attempts: it ended without a result, and not by its contract. */
export function endedOtherwise(run: Api.RunView): boolean {
  if (run.status === 'stopped') return true
  return run.status === 'failed' && !CONTRACT_FAILURES.includes(run.error?.type ?? '')
}

/**
 * Whether the contract was kept, in the words that people look for. Nothing where there is no contract, or while its
 * attempts are needed and not known.
 */
export function verdictOf(run: Api.RunView, attempts: readonly Api.Attempt[] | undefined): Verdict | null {
  if (!run.contract && !run.contract_origin) return null
  const most = maxRetries(run.contract)
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
      retries: retriesOf(run.error.attempts ?? null, most),
      errors: run.error.validation_errors ?? [],
    }
  }
  if (endedOtherwise(run)) return attempts === undefined ? null : unfinished(run, attempts)
  const left = most === null ? null : `Up to ${plural(most, 'retry', 'retries')}`
  return { tone: 'info', title: 'Output Schema: enforced', retries: left, errors: [] }
}

/** The verdict on a run that something else ended: its answers may have been judged before. */
function unfinished(run: Api.RunView, attempts: readonly Api.Attempt[]): Verdict {
  const judged = attempts.filter(({ outcome }) => !UNANSWERED.includes(outcome))
  if (judged.length === 0 || judged.some(({ outcome }) => outcome === 'accepted')) {
    return { tone: 'neutral', title: 'Output Schema: not validated', retries: null, errors: [] }
  }
  const retries = `${plural(judged.length, 'answer', 'answers')} did not conform`
  return { tone: 'danger', title: 'Output Schema: not met', retries, errors: run.error?.validation_errors ?? [] }
}

/** `Retry attempts: 1/1 exhausted`. Fewer than allowed means that asking again would not have helped. */
export function retriesOf(attempts: number | null, most: number | null): string | null {
  if (attempts === null || most === null) return null
  const used = Math.min(Math.max(0, attempts - 1), most)
  return `Retry attempts: ${used}/${most}${used === most ? ' exhausted' : ''}`
}

export type Entry =
  | { kind: 'state'; key: string; at: string; label: string; detail: string | null; tone: Tone; run: string | null }
  | { kind: 'message'; key: string; at: string; role: string; text: string }
  | { kind: 'tool'; key: string; at: string; name: string; arguments: string; output: string | null; ok: boolean | null }
  | { kind: 'attempt'; key: string; at: string; attempt: Api.Attempt; run: string | null }
  | { kind: 'result'; key: string; at: string; text: string }

/** Where a run begins in a timeline, if it is not the first one there; null if it is, or has not begun. */
export function startIn(events: readonly Pick<Happened, 'id' | 'run_id'>[], runId: string): string | null {
  const first = events.find(({ run_id }) => run_id !== null && run_id !== undefined)
  const own = events.find(({ run_id }) => run_id === runId)
  return own === undefined || own === first ? null : String(own.id)
}

/** The timeline: one entry an event, but a tool's call and its answer are one. */
export function timelineOf(events: Happened[]): Entry[] {
  const entries: Entry[] = []
  const calls = new Map<string, Extract<Entry, { kind: 'tool' }>>()
  for (const event of events) {
    // Shown while the run works, and said whole by a message.
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

function entryOf(event: Happened): Entry {
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

/** The runner that a run waits for: `a runner with llm · tags gpu`. */
export function wantedOf({ hostname, project_dir: folder, executor_type: executor, tags = [] }: Api.Demands): string {
  const demands = [executor, hostname && `host ${hostname}`, folder && `folder ${folder}`, tags.length > 0 && `tags ${tags.join(', ')}`]
  const wanted = demands.filter(Boolean).join(' · ')
  return wanted === '' ? 'a runner' : `a runner with ${wanted}`
}

/** Ends of children that wait for somebody, together where the reason is the same. Others are on their way. */
export function heldOf({ undelivered_callbacks: owed = [] }: Api.SessionView): { message: string; children: string[] }[] {
  const held = new Map<string, string[]>()
  for (const { held: reason, message, session_id: child } of owed) {
    if (reason) held.set(message ?? reason, [...(held.get(message ?? reason) ?? []), child])
  }
  return [...held].map(([message, children]) => ({ message, children }))
}

/** A run's result, with its numbers as they were written; null where there is none. */
export function resultTextOf(runText: string): { json: boolean; text: string } | null {
  const run = readJson(runText).node
  if (run === null) return null
  const data = follow(run, ['result', 'result_data'])
  if (data.depth === 2 && data.node.kind !== 'null') {
    return { json: true, text: runText.slice(data.node.start, data.node.end) }
  }
  const said = follow(run, ['result', 'result_text'])
  if (said.depth === 2 && said.node.kind === 'string') {
    return { json: false, text: JSON.parse(runText.slice(said.node.start, said.node.end)) as string }
  }
  return null
}

/** How an attempt is named in an address: a run handed out twice begins to count anew. */
export function attemptId(attempt: Api.Attempt): string {
  return `${attempt.delivery}-${attempt.number}`
}

/**
 * Whether parameters that are a prompt and nothing else can conform to a schema. Only what rules them out for certain counts:
 * what is left to judge is judged by the server.
 */
export function takesPrompt(schema: unknown): boolean {
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

/** Why a run failed where that is not the contract. */
export function failureOf(run: Api.RunView): { type: string; message: string } | null {
  return run.error ? { type: run.error.type, message: run.error.message } : null
}

/** The run to start again from: the one in view, or the session's first if that only resumed it. Runs are newest first. */
export function startOf(runs: readonly Pick<Api.RunView, 'run_id' | 'type'>[], runId: string): string {
  const shown = runs.find((run) => run.run_id === runId)
  return shown?.type === 'resume_session' ? (runs.findLast((run) => run.type === 'start_session')?.run_id ?? runId) : runId
}
