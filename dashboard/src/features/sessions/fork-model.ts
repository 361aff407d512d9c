/** What a fork changes. Pure. */
import type { Api } from '@/api'
import { type Json, type JsonMap, at, parse, same, write } from '@/lib/lossless'

export interface ForkForm {
  model: string
  systemPrompt: string
  /** As JSON text; empty for none. */
  schema: string
}

/** What the form begins with: what the run had, as far as it is known. */
export function forkForm(run: Api.RunView, runText: string, systemPrompt: string): ForkForm {
  const schema = at(parse(runText), 'contract', 'schema')
  return { model: run.model ?? '', systemPrompt, schema: schema === undefined || schema === null ? '' : write(schema, 2) }
}

/** Whether the caller may bring another output schema: the agent has none of its own. */
export function takesSchema(run: Api.RunView): boolean {
  return run.contract_origin !== 'blueprint'
}

/** The body of the request: the step, and only what was changed. Throws where the schema is not JSON. */
export function forkRequest(from: number, before: ForkForm, after: ForkForm): JsonMap {
  const request = new Map<string, Json>([['from_step', from]])
  const model = after.model.trim()
  if (model !== '' && model !== before.model) request.set('model', model)
  if (after.systemPrompt !== before.systemPrompt) request.set('system_prompt', after.systemPrompt)
  if (after.schema.trim() !== '') {
    const schema = parse(after.schema)
    if (before.schema === '' || !same(schema, parse(before.schema))) request.set('output_schema', schema)
  }
  return request
}
