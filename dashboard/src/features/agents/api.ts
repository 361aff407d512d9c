import { queryOptions } from '@tanstack/react-query'
import { api, body, queryKeys } from '@/api'
import { type Agent, BODY_PLACEHOLDER, readAgent } from '@/api/agents'
import { REFETCH_MS } from '@/api/queries'
import { type Json, write } from '@/lib/lossless'

export { type Agent, agentQuery, saveAgent } from '@/api/agents'

export const agentsQuery = (tags?: string) =>
  queryOptions({
    queryKey: queryKeys.agents.list({ tags }),
    queryFn: () => body(api.GET('/agents', { params: { query: { tags } } })),
    refetchInterval: REFETCH_MS,
  })

/** Validates a blueprint without saving it. */
export const checkQuery = (blueprint: Json) => {
  const sent = write(blueprint)
  return queryOptions({
    queryKey: queryKeys.agents.check(sent),
    queryFn: () => body(api.POST('/agents/validate', { body: BODY_PLACEHOLDER, bodySerializer: () => sent })),
    staleTime: Infinity,
    gcTime: 60_000,
  })
}

export async function createAgent(blueprint: Json): Promise<Agent> {
  const sent = write(blueprint)
  return readAgent(await body(api.POST('/agents', { body: BODY_PLACEHOLDER, bodySerializer: () => sent, parseAs: 'text' })))
}

export function deleteAgent(name: string, hash: string): Promise<unknown> {
  const params = { path: { name }, header: { 'If-Match': `"${hash}"` } }
  return body(api.DELETE('/agents/{name}', { params, parseAs: 'text' }))
}
