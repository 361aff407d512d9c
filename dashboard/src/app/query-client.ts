import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '@/api/error'

const RETRIES = 2

/** Events invalidate queries. Queries about changes without events refetch on their own interval. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        // Retry only if the server was unreachable: it would reject the same request again.
        retry: (failures, error) => failures < RETRIES && !(error instanceof ApiError && error.status !== 0),
      },
    },
  })
}
