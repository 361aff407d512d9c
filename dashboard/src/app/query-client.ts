import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '@/api/error'

const RETRIES = 2

/** Server state. Events make it stale; what no event tells of is asked for by the clock, by its own query. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        // What the server has refused it will refuse again.
        retry: (failures, error) => failures < RETRIES && !(error instanceof ApiError && error.status !== 0),
      },
    },
  })
}
