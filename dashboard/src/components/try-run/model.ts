/** What is asked for, and what a run has to show. Pure. */
import type { Api } from '@/api'
import { plural } from '@/lib/format'
import { type Json, type JsonMap, at, parse, toPlain } from '@/lib/lossless'
import { isByPerson } from '@/lib/run-facts'
import type { Tone } from '@/lib/status'

/** The contract that a caller brings along. */
export type Brought =
  | { kind: 'none' }
  | { kind: 'inline'; schema: Json; options: JsonMap }
  | { kind: 'registry'; name: string; options: JsonMap }

interface Wish {
  agentName: string
  parameters: Json | undefined
  brought: Brought
  model: string
}

/** Commands, recordings and people ask no model, and the server refuses runs that name one for them. */
export function hasModel(executor: string): boolean {
  return !['process', 'replay', 'human'].includes(executor)
}

/** The body of `POST /runs`. */
export function requestOf({ agentName, parameters, brought, model }: Wish): JsonMap {
  const request = new Map<string, Json>([
    ['agent_name', agentName],
    ['parameters', parameters ?? new Map()],
  ])
  if (brought.kind === 'inline') request.set('output_schema', brought.schema)
  if (brought.kind === 'registry') request.set('output_schema_name', brought.name)
  if (brought.kind !== 'none' && brought.options.size > 0) request.set('output_schema_options', brought.options)
  if (model.trim() !== '') request.set('model', model.trim())
  return request
}

export interface Shown {
  run: Api.RunView
  /** The result in its own digits. */
  result: { json: boolean; value: Json } | null
}

export function readRun(text: string): Shown {
  const json = parse(text)
  const data = at(json, 'result', 'result_data') ?? null
  const said = at(json, 'result', 'result_text') ?? null
  const result = data !== null ? { json: true, value: data } : said !== null ? { json: false, value: said } : null
  return { run: toPlain(json) as Api.RunView, result }
}

/** What went into a run of an agent, in its own digits; nothing where it is another one's. */
export function parametersOf(text: string, agentName: string): Json | undefined {
  const json = parse(text)
  return at(json, 'agent_name') === agentName ? (at(json, 'parameters') ?? undefined) : undefined
}

const OPTIONS = ['max_retries', 'strategy', 'validation_mode', 'extract_json', 'embedded', 'strict_json_only', 'on_failure']

/** The contract that the caller of a run brought along, for another run; nothing if the agent's own applied. */
export function broughtOf(text: string): Brought | undefined {
  const json = parse(text)
  const contract = at(json, 'contract')
  const schema = at(contract, 'schema')
  if (at(json, 'contract_origin') !== 'caller' || schema === undefined) return undefined
  const options = new Map(OPTIONS.flatMap((name): [string, Json][] => {
    const value = at(contract, name)
    return value === undefined || value === null ? [] : [[name, value]]
  }))
  const name = at(contract, 'schema_name')
  return typeof name === 'string' ? { kind: 'registry', name, options } : { kind: 'inline', schema, options }
}

const CONTRACT_FAILURES = ['output_schema_validation_failed', 'schema_validation_failed']

export interface Verdict {
  tone: Tone
  title: string
  detail: string
  errors: string[]
}

/** Whether the contract was kept; null while that is open, or where there is none. */
export function verdictOf(run: Api.RunView): Verdict | null {
  const { error } = run
  if (run.status === 'completed') {
    const validation = run.result?.schema_validation
    if (!validation) return null
    const tries = isByPerson(validation.source) ? 'entered by a person' : validation.retry_count === 0 ? 'accepted on the first attempt' : `accepted after ${plural(validation.retry_count, 'retry', 'retries')}`
    return { tone: 'success', title: 'Output Schema: Valid', detail: tries, errors: [] }
  }
  if (run.status === 'stopped') return { tone: 'neutral', title: 'Stopped', detail: error?.message ?? 'The run was stopped', errors: [] }
  if (!error) return null
  if (!CONTRACT_FAILURES.includes(error.type)) return { tone: 'danger', title: error.type, detail: error.message, errors: [] }
  const most = (run.contract as { max_retries?: number } | null | undefined)?.max_retries
  const used = Math.max(0, (error.attempts ?? 1) - 1)
  const retries = most === undefined ? error.message : `Retry attempts: ${Math.min(used, most)}/${most}${used >= most ? ' exhausted' : ''}`
  return { tone: 'danger', title: 'Output Schema: Validation Failed', detail: retries, errors: error.validation_errors ?? [] }
}
