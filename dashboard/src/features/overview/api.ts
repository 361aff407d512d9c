import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { ApiError, api, body, queryKeys, text } from '@/api'
import { agentsQuery } from '@/api/queries'
import { depthsOf } from './model'

export const statsQuery = (filters: { since?: string; agent_name?: string }) =>
  queryOptions({
    queryKey: queryKeys.stats.of(filters),
    queryFn: () => body(api.GET('/stats', { params: { query: filters } })),
  })

/** The command that a procedural agent runs. */
export const commandQuery = (name: string) =>
  queryOptions({
    queryKey: [...queryKeys.agents.one(name), 'command'],
    queryFn: async () => {
      const { blueprint } = await body(api.GET('/agents/{name}', { params: { path: { name } } }))
      const { command } = (blueprint as { executor?: { command?: unknown } }).executor ?? {}
      return typeof command === 'string' ? command : null
    },
    retry: false,
  })

/** The commands of all procedural agents: figures list them among the models. */
export function useCommands(): string[] {
  const agents = useQuery(agentsQuery()).data?.items ?? []
  const commands = useQueries({ queries: agents.filter(({ type }) => type === 'procedural').map(({ name }) => commandQuery(name)) })
  return commands.flatMap(({ data }) => data ?? [])
}

/** How many runs wait and how many are held by runners; null where this server counts elsewhere. Runs make it stale. */
export const depthQuery = () =>
  queryOptions({
    queryKey: queryKeys.runs.depth,
    queryFn: async () => {
      try {
        return depthsOf(await text('/metrics'))
      } catch (error) {
        if (error instanceof ApiError && error.status !== 0 && error.status !== 401) return null
        throw error
      }
    },
  })
