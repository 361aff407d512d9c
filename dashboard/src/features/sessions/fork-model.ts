/** The form and the request of a fork. */
import type { Api } from '@/api'
import { type Json, type JsonMap, at, parse, same, write } from '@/lib/lossless'

export interface ForkForm {
  model: string
  systemPrompt: string
  /** JSON text; empty for no schema. */
  schema: string
}

/** The initial values of the form: those of the run, as far as they are known. */
export function forkForm(run: Api.RunView, runText: string, systemPrompt: string): ForkForm {
  const schema = at(parse(runText), 'contract', 'schema')
  return { model: run.model ?? '', systemPrompt, schema: schema === undefined || schema === null ? '' : write(schema, 2) }
}

/** Whether the output schema may be replaced: only if the agent does not define one. */
export function acceptsSchema(run: Api.RunView): boolean {
  return run.contract_origin !== 'blueprint'
}

/** The request body with the step and the changes. Throws if the schema is not JSON. */
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
