import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Api, api, body, queryKeys } from '@/api'

export const keysQuery = () => queryOptions({ queryKey: queryKeys.keys.all, queryFn: () => body(api.GET('/keys')) })

export function useCreateKey() {
  return useMutation({ mutationFn: (key: Api.CreateKey) => body(api.POST('/keys', { body: key })) })
}

export function useDeleteKey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => body(api.DELETE('/keys/{id}', { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.keys.all }),
  })
}
