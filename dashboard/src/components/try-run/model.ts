/** The request that starts a run, and what is shown of its response. */
import type { Api } from '@/api'
import { plural } from '@/lib/format'
import { type Json, type JsonMap, at, parse, toPlain } from '@/lib/lossless'
import { isByPerson } from '@/lib/run-facts'
import type { Tone } from '@/lib/status'

/** The output contract that the caller chooses for a run. */
export type CallerContract =
  | { kind: 'none' }
  | { kind: 'inline'; schema: Json; options: JsonMap }
  | { kind: 'registry'; name: string; options: JsonMap }

interface RunRequest {
  agentName: string
  parameters: Json | undefined
  contract: CallerContract
  model: string
}

/** Commands, recordings and people use no model, and the server rejects a model for them. */
export function hasModel(executor: string): boolean {
  return !['process', 'replay', 'human'].includes(executor)
}

/** The body of `POST /runs`. */
export function requestOf({ agentName, parameters, contract, model }: RunRequest): JsonMap {
  const request = new Map<string, Json>([
    ['agent_name', agentName],
    ['parameters', parameters ?? new Map()],
  ])
  if (contract.kind === 'inline') request.set('output_schema', contract.schema)
  if (contract.kind === 'registry') request.set('output_schema_name', contract.name)
  if (contract.kind !== 'none' && contract.options.size > 0) request.set('output_schema_options', contract.options)
  if (model.trim() !== '') request.set('model', model.trim())
  return request
}

export interface ReadRun {
  run: Api.RunView
  /** The result, with the original digits of numbers. */
  result: { json: boolean; value: Json } | null
}

export function readRun(text: string): ReadRun {
  const json = parse(text)
  const data = at(json, 'result', 'result_data') ?? null
  const freeText = at(json, 'result', 'result_text') ?? null
  const result = data !== null ? { json: true, value: data } : freeText !== null ? { json: false, value: freeText } : null
  return { run: toPlain(json) as Api.RunView, result }
}

/** The input of a run, with the original digits of numbers; undefined if the run is of another agent. */
export function parametersOf(text: string, agentName: string): Json | undefined {
  const json = parse(text)
  return at(json, 'agent_name') === agentName ? (at(json, 'parameters') ?? undefined) : undefined
}

const OPTIONS = ['max_retries', 'strategy', 'validation_mode', 'extract_json', 'embedded', 'strict_json_only', 'on_failure']

/** The contract that the caller of a run chose, to repeat the run; undefined if the agent's own applied. */
export function callerContractOf(text: string): CallerContract | undefined {
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

/** Whether the output matched the contract; null if that is undecided or there is no contract. */
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
  const maxRetries = (run.contract as { max_retries?: number } | null | undefined)?.max_retries
  const used = Math.max(0, (error.attempts ?? 1) - 1)
  const retries = maxRetries === undefined ? error.message : `Retry attempts: ${Math.min(used, maxRetries)}/${maxRetries}${used >= maxRetries ? ' exhausted' : ''}`
  return { tone: 'danger', title: 'Output Schema: Validation Failed', detail: retries, errors: error.validation_errors ?? [] }
}
