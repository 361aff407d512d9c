import { queryOptions } from '@tanstack/react-query'
import { api, body, queryKeys } from '@/api'

/** Whether the store is reachable and up to date, and how the server is set up. */
export const serverQuery = () =>
  queryOptions({
    queryKey: queryKeys.server.all,
    queryFn: async () => {
      const [ready, config] = await Promise.all([body(api.GET('/ready')), body(api.GET('/config'))])
      return { status: ready.status, config }
    },
  })
