/** Agents with their blueprints, for those who read and write them. */
import { queryOptions } from '@tanstack/react-query'
import { type Json, at, parse, toPlain, write } from '@/lib/lossless'
import { api, body, text } from './client'
import { queryKeys } from './keys'
import { LOOK_AGAIN_MS } from './queries'
import type * as Api from './schema'

/** An agent, its blueprint in its own order and digits. */
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
    refetchInterval: LOOK_AGAIN_MS,
  })

/** What the client types a blueprint as; the text that is sent is made by ourselves. */
export const TYPED = {} as Api.Blueprint

/** Writes an agent, if it is still the one that was seen. */
export async function saveAgent(name: string, blueprint: Json, hash: string): Promise<Agent> {
  const sent = write(blueprint)
  const params = { path: { name }, header: { 'If-Match': `"${hash}"` } }
  return readAgent(
    await body(api.PUT('/agents/{name}', { params, body: TYPED, bodySerializer: () => sent, parseAs: 'text' })),
  )
}
