import { queryOptions } from '@tanstack/react-query'
import { api, body, queryKeys } from '@/api'

export const statsQuery = (filters: { since?: string; agent_name?: string }) =>
  queryOptions({
    queryKey: queryKeys.stats.of(filters),
    queryFn: () => body(api.GET('/stats', { params: { query: filters } })),
  })
