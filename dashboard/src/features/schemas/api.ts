import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, body, queryKeys, text } from '@/api'
import { type Json, type JsonMap, write } from '@/lib/lossless'
import { readRegistered } from './model'

export const schemaQuery = (name: string) =>
  queryOptions({
    queryKey: queryKeys.schemas.one(name),
    queryFn: async () => readRegistered(await text(`/schemas/${encodeURIComponent(name)}`)),
  })

/** Satisfies the client's type for the body; `bodySerializer` sends the lossless text instead. */
const BODY_PLACEHOLDER = {}

interface NewSchema {
  name: string
  description: string
  schema: JsonMap
}

export function useCreateSchema() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ name, description, schema }: NewSchema) => {
      const sent = write(new Map<string, Json>([['name', name], ['description', description], ['schema', schema]]))
      return body(api.POST('/schemas', { body: { name, schema: BODY_PLACEHOLDER }, bodySerializer: () => sent }))
    },
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
