import { queryOptions } from '@tanstack/react-query'
import { type Api, api, body, queryKeys, text } from '@/api'
import { type Json, type JsonMap, at, parse, write } from '@/lib/lossless'

/** What an agent takes and gives, for somebody who wants to run it. */
export interface Terms {
  parameters: Json
  output: Json | null
  /** Whether callers may bring a contract of their own. */
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

/** Starts a run; the text is made by ourselves, so that numbers stay as they were typed. */
export function startRun(request: JsonMap): Promise<Api.CreatedRun> {
  const sent = write(request)
  return body(api.POST('/runs', { body: {}, bodySerializer: () => sent }))
}

/** As text: the result's numbers stay as they were written. */
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
