import { queryOptions } from '@tanstack/react-query'
import { api, body, queryKeys } from '@/api'

/** Whether the store is reachable and up to date, and which version answers. */
export const serverQuery = () =>
  queryOptions({
    queryKey: queryKeys.server.all,
    queryFn: async () => {
      const [ready, document] = await Promise.all([body(api.GET('/ready')), body(api.GET('/openapi.json'))])
      return { status: ready.status, version: versionOf(document) }
    },
  })

function versionOf(document: Record<string, unknown>): string {
  const info = document['info']
  const version = typeof info === 'object' && info !== null && 'version' in info ? info.version : null
  return typeof version === 'string' ? version : '–'
}
