import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, body, queryKeys } from '@/api'

export const endpointsQuery = () =>
  queryOptions({ queryKey: queryKeys.endpoints.all, queryFn: () => body(api.GET('/endpoints')) })

export function useForgetEndpoint() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (query: { endpoint: string; model: string }) => body(api.DELETE('/endpoints', { params: { query } })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.endpoints.all }),
  })
}
