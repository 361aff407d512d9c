import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, body, queryKeys, text } from '@/api'
import { type Json, type JsonMap, write } from '@/lib/lossless'
import { readRegistered } from './model'

export const schemaQuery = (name: string) =>
  queryOptions({
    queryKey: queryKeys.schemas.one(name),
    queryFn: async () => readRegistered(await text(`/schemas/${encodeURIComponent(name)}`)),
  })

/** What the client types a schema as; the text that is sent is made by ourselves, so that it is the one that was written. */
const TYPED = {}

interface Added {
  name: string
  description: string
  schema: JsonMap
}

export function useCreateSchema() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ name, description, schema }: Added) => {
      const sent = write(new Map<string, Json>([['name', name], ['description', description], ['schema', schema]]))
      return body(api.POST('/schemas', { body: { name, schema: TYPED }, bodySerializer: () => sent }))
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
