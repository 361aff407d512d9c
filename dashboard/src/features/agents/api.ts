import { queryOptions } from '@tanstack/react-query'
import { type Api, api, body, queryKeys, text } from '@/api'
import { LOOK_AGAIN_MS } from '@/api/queries'
import { type Json, at, parse, toPlain, write } from '@/lib/lossless'

export const agentsQuery = (tags?: string) =>
  queryOptions({
    queryKey: queryKeys.agents.list({ tags }),
    queryFn: () => body(api.GET('/agents', { params: { query: { tags } } })),
    refetchInterval: LOOK_AGAIN_MS,
  })

/** An agent, its blueprint in its own order and digits. */
export interface Agent {
  view: Api.AgentView
  blueprint: Json
}

function readAgent(answer: string): Agent {
  const json = parse(answer)
  return { view: toPlain(json) as Api.AgentView, blueprint: at(json, 'blueprint') ?? null }
}

export const agentQuery = (name: string) =>
  queryOptions({
    queryKey: queryKeys.agents.one(name),
    queryFn: async () => readAgent(await text(`/agents/${encodeURIComponent(name)}`)),
    refetchInterval: LOOK_AGAIN_MS,
  })

/** What the client types a blueprint as; the text that is sent is made by ourselves. */
const TYPED = {} as Api.Blueprint

/** What is wrong with a blueprint. Nothing is stored. */
export const checkQuery = (blueprint: Json) => {
  const sent = write(blueprint)
  return queryOptions({
    queryKey: queryKeys.agents.check(sent),
    queryFn: () => body(api.POST('/agents/validate', { body: TYPED, bodySerializer: () => sent })),
    staleTime: Infinity,
    gcTime: 60_000,
  })
}

export async function createAgent(blueprint: Json): Promise<Agent> {
  const sent = write(blueprint)
  return readAgent(await body(api.POST('/agents', { body: TYPED, bodySerializer: () => sent, parseAs: 'text' })))
}

/** Writes an agent, if it is still the one that was seen. */
export async function saveAgent(name: string, blueprint: Json, hash: string): Promise<Agent> {
  const sent = write(blueprint)
  const params = { path: { name }, header: { 'If-Match': `"${hash}"` } }
  return readAgent(
    await body(api.PUT('/agents/{name}', { params, body: TYPED, bodySerializer: () => sent, parseAs: 'text' })),
  )
}

export function deleteAgent(name: string, hash: string): Promise<unknown> {
  const params = { path: { name }, header: { 'If-Match': `"${hash}"` } }
  return body(api.DELETE('/agents/{name}', { params, parseAs: 'text' }))
}
