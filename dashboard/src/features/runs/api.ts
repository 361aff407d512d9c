import { type Api, api, body } from '@/api'

export interface RunFilters {
  status?: Api.RunStatus
  agent_name?: string
  since?: string
  q?: string
  until?: string
}

export const fetchRuns = (filters: RunFilters, limit: number, cursor?: string) =>
  body(api.GET('/runs', { params: { query: { ...filters, limit, cursor } } }))
