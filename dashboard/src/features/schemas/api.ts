import { queryOptions, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Api, api, body, queryKeys } from '@/api'
import { agentsQuery } from '@/api/queries'
import { usersOf } from './model'

/** Names are short and schemas are few. */
const ALL = 500

export const schemasQuery = () =>
  queryOptions({
    queryKey: queryKeys.schemas.list(),
    queryFn: () => body(api.GET('/schemas', { params: { query: { limit: ALL } } })),
  })

export const schemaQuery = (name: string) =>
  queryOptions({
    queryKey: queryKeys.schemas.one(name),
    queryFn: () => body(api.GET('/schemas/{name}', { params: { path: { name } } })),
  })

const agentQuery = (name: string) =>
  queryOptions({
    queryKey: queryKeys.agents.one(name),
    queryFn: () => body(api.GET('/agents/{name}', { params: { path: { name } } })),
  })

/**
 * The agents that refer to a schema by its name; undefined until all have been looked at that have an output contract.
 * The list of agents does not say which one, so each of those is asked.
 */
export function useUsers(schema: string): string[] | undefined {
  const agents = useQuery(agentsQuery())
  const names = agents.data?.items.filter((agent) => agent.has_output_schema).map((agent) => agent.name) ?? []
  const views = useQueries({ queries: names.map(agentQuery) })
  if (agents.data === undefined || views.some((view) => view.isPending)) return undefined
  return usersOf(schema, views.flatMap((view) => view.data ?? []))
}

export const validateSchema = (schema: Record<string, unknown>) =>
  body(api.POST('/schemas/validate', { body: { schema } }))

export function useCreateSchema() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (schema: Api.CreateSchema) => body(api.POST('/schemas', { body: schema })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.schemas.all }),
  })
}

export function useDeleteSchema(name: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => body(api.DELETE('/schemas/{name}', { params: { path: { name } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.schemas.list() }),
  })
}
