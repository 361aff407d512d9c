import { queryOptions } from '@tanstack/react-query'
import { api, body, queryKeys } from '@/api'

/** The state of the database and the configuration of the server. */
export const serverQuery = () =>
  queryOptions({
    queryKey: queryKeys.server.all,
    queryFn: async () => {
      const [ready, config] = await Promise.all([body(api.GET('/ready')), body(api.GET('/config'))])
      return { status: ready.status, config }
    },
  })
