/** Reads and writes agents with their blueprints. */
import { queryOptions } from '@tanstack/react-query'
import { type Json, at, parse, toPlain, write } from '@/lib/lossless'
import { api, body, text } from './client'
import { queryKeys } from './keys'
import { REFETCH_MS } from './queries'
import type * as Api from './schema'

/** An agent. Its blueprint keeps the order of members and the digits of numbers. */
export interface Agent {
  view: Api.AgentView
  blueprint: Json
}

export function readAgent(answer: string): Agent {
  const json = parse(answer)
  return { view: toPlain(json) as Api.AgentView, blueprint: at(json, 'blueprint') ?? null }
}

export const agentQuery = (name: string) =>
  queryOptions({
    queryKey: queryKeys.agents.one(name),
    queryFn: async () => readAgent(await text(`/agents/${encodeURIComponent(name)}`)),
    refetchInterval: REFETCH_MS,
  })

/** Satisfies the client's type for a request body; `bodySerializer` sends the lossless text instead. */
export const BODY_PLACEHOLDER = {} as Api.Blueprint

/** Saves an agent unless it has changed since the version with this hash. */
export async function saveAgent(name: string, blueprint: Json, hash: string): Promise<Agent> {
  const sent = write(blueprint)
  const params = { path: { name }, header: { 'If-Match': `"${hash}"` } }
  return readAgent(
    await body(api.PUT('/agents/{name}', { params, body: BODY_PLACEHOLDER, bodySerializer: () => sent, parseAs: 'text' })),
  )
}
