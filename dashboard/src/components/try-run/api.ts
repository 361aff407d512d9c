import { queryOptions } from '@tanstack/react-query'
import { type Api, api, body, queryKeys, text } from '@/api'
import { type Json, type JsonMap, at, parse, write } from '@/lib/lossless'

/** The input and output schema of an agent. */
export interface Terms {
  parameters: Json
  output: Json | null
  /** Whether callers may replace the output contract. */
  open: boolean
}

export const termsQuery = (name: string) =>
  queryOptions({
    queryKey: [...queryKeys.agents.contract(name), 'terms'],
    queryFn: async (): Promise<Terms> => {
      const answer = parse(await text(`/agents/${encodeURIComponent(name)}/contract`))
      const output = at(answer, 'output_schema') ?? null
      return { parameters: at(answer, 'parameters_schema') ?? true, output, open: output === null || at(answer, 'is_default') === true }
    },
    retry: false,
  })

/** Starts a run. The body is serialized losslessly, so that numbers keep their digits. */
export function startRun(request: JsonMap): Promise<Api.CreatedRun> {
  const sent = write(request)
  return body(api.POST('/runs', { body: {}, bodySerializer: () => sent }))
}

/** Fetched as text, so that the numbers of the result keep their digits. */
export const runTextQuery = (id: string) =>
  queryOptions({
    queryKey: [...queryKeys.runs.one(id), 'text'],
    queryFn: () => text(`/runs/${encodeURIComponent(id)}`),
  })

export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.runs.attempts(id),
    queryFn: () => body(api.GET('/runs/{id}/attempts', { params: { path: { id } } })),
  })

export const stopRun = (id: string) => body(api.POST('/runs/{id}/stop', { params: { path: { id } } }))
