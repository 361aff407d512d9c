import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Api, api, body, queryKeys } from '@/api'

export const schemaQuery = (name: string) =>
  queryOptions({
    queryKey: queryKeys.schemas.one(name),
    queryFn: () => body(api.GET('/schemas/{name}', { params: { path: { name } } })),
  })

export const validateSchema = (schema: Record<string, unknown>) =>
  body(api.POST('/schemas/validate', { body: { schema } }))

export function useCreateSchema() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (schema: Api.CreateSchema) => body(api.POST('/schemas', { body: schema })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.schemas.all }),
  })
}

export function useDeleteSchema(name: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => body(api.DELETE('/schemas/{name}', { params: { path: { name } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.schemas.list() }),
  })
}
