/** Queries that several features use. */
import { queryOptions } from '@tanstack/react-query'
import { api, body, everyItem, text } from './client'
import { queryKeys } from './keys'
import type * as Api from './schema'

/**
 * Some changes have no event: an edited agent file, a deleted session or a deleted workflow run. Pages that show one of
 * these refetch at this interval.
 */
export const REFETCH_MS = 10_000

/** The first page of matching runs, newest first. */
export const runsQuery = (filters: { status?: Api.RunStatus; agent_name?: string; session_id?: string; since?: string; limit?: number }) =>
  queryOptions({
    queryKey: queryKeys.runs.list(filters),
    queryFn: () => body(api.GET('/runs', { params: { query: filters } })),
  })

export const fetchRun = (id: string) => body(api.GET('/runs/{id}', { params: { path: { id } } }))

export const runQuery = (id: string) => queryOptions({ queryKey: queryKeys.runs.one(id), queryFn: () => fetchRun(id) })

export const agentsQuery = () =>
  queryOptions({
    queryKey: queryKeys.agents.list(),
    queryFn: () => body(api.GET('/agents')),
  })

/** Fetched as text, so that numbers of inputs and outputs keep their digits. */
export const workflowRunQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.workflowRuns.one(id),
    queryFn: () => text(`/workflow-runs/${encodeURIComponent(id)}`),
    refetchInterval: REFETCH_MS,
  })

/** The maximum number of open requests to count; beyond it the count is shown with a plus sign. */
export const MAX_OPEN_INPUTS = 100

/** The newest open input requests of all runs or of one run. */
export const openInputsQuery = (filters: { run_id?: string } = {}) =>
  queryOptions({
    queryKey: queryKeys.inputs.list({ ...filters, open: MAX_OPEN_INPUTS }),
    queryFn: () => body(api.GET('/inputs', { params: { query: { ...filters, status: 'open', limit: MAX_OPEN_INPUTS } } })),
  })

/** The largest page size that the server allows. */
const SCHEMA_PAGE = 500

/** All registered schemas. */
export const schemasQuery = () =>
  queryOptions({
    queryKey: queryKeys.schemas.list(),
    queryFn: () => everyItem((cursor) => body(api.GET('/schemas', { params: { query: { limit: SCHEMA_PAGE, cursor } } }))),
  })

/** The input and output contract of an agent. */
export const contractQuery = (name: string) =>
  queryOptions({
    queryKey: queryKeys.agents.contract(name),
    queryFn: () => body(api.GET('/agents/{name}/contract', { params: { path: { name } } })),
    retry: false,
  })

/** There is no event for runners that connect or disconnect. */
const RUNNERS_MS = 10_000

export const runnersQuery = () =>
  queryOptions({
    queryKey: queryKeys.runners.all,
    queryFn: () => body(api.GET('/runners')),
    refetchInterval: RUNNERS_MS,
  })

export const workflowNamesQuery = () =>
  queryOptions({ queryKey: queryKeys.workflows.list(), queryFn: () => body(api.GET('/workflows')) })

/** How many of the newest items the command palette searches. */
const RECENT = 100

/** The newest sessions, runs and workflow runs, for the command palette. */
export const recentQuery = () =>
  queryOptions({
    queryKey: queryKeys.runs.list({ recent: RECENT }),
    queryFn: async () => {
      const params = { query: { limit: RECENT } }
      const [sessions, runs, workflowRuns] = await Promise.all([
        body(api.GET('/sessions', { params })),
        body(api.GET('/runs', { params })),
        body(api.GET('/workflow-runs', { params })),
      ])
      return { sessions: sessions.items, runs: runs.items, workflowRuns: workflowRuns.items }
    },
  })
