import { queryOptions } from '@tanstack/react-query'
import { type Api, api, body, queryKeys } from '@/api'

export interface RunFilters {
  status?: Api.RunStatus
  agent_name?: string
  since?: string
}

export const fetchRuns = (filters: RunFilters, limit: number, cursor?: string) =>
  body(api.GET('/runs', { params: { query: { ...filters, limit, cursor } } }))

export const fetchRun = (id: string) => body(api.GET('/runs/{id}', { params: { path: { id } } }))

export const runQuery = (id: string) => queryOptions({ queryKey: queryKeys.runs.one(id), queryFn: () => fetchRun(id) })
