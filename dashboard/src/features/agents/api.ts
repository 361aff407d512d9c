import { queryOptions } from '@tanstack/react-query'
import { api, body, queryKeys } from '@/api'

export const agentsQuery = (tags?: string) =>
  queryOptions({
    queryKey: queryKeys.agents.list({ tags }),
    queryFn: () => body(api.GET('/agents', { params: { query: { tags } } })),
  })

export const agentQuery = (name: string) =>
  queryOptions({
    queryKey: queryKeys.agents.one(name),
    queryFn: () => body(api.GET('/agents/{name}', { params: { path: { name } } })),
  })
