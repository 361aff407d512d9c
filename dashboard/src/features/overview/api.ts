import { queryOptions } from '@tanstack/react-query'
import { ApiError, api, body, queryKeys, text } from '@/api'
import { depthsOf } from './model'

export const statsQuery = (filters: { since?: string; agent_name?: string }) =>
  queryOptions({
    queryKey: queryKeys.stats.of(filters),
    queryFn: () => body(api.GET('/stats', { params: { query: filters } })),
  })

/** The number of pending runs and of runs held by runners; null if the server's metrics are not available. Run events invalidate it. */
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
