/** Queries that several features ask. */
import { queryOptions } from '@tanstack/react-query'
import { api, body, everyItem, text } from './client'
import { queryKeys } from './keys'
import type * as Api from './schema'

/**
 * No event tells that somebody has edited a file, or removed a session or a run of a workflow: pages that show one look again by
 * the clock.
 */
export const LOOK_AGAIN_MS = 10_000

/** The newest runs that match, one page of them. */
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

/** As text: numbers of inputs and outputs stay as they were written. */
export const workflowRunQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.workflowRuns.one(id),
    queryFn: () => text(`/workflow-runs/${encodeURIComponent(id)}`),
    refetchInterval: LOOK_AGAIN_MS,
  })

/** More open requests than one counts; where there are more, that is said. */
export const MOST_OPEN_INPUTS = 100

/** The newest open requests for input: of everything, or of one run. */
export const openInputsQuery = (filters: { run_id?: string } = {}) =>
  queryOptions({
    queryKey: queryKeys.inputs.list({ ...filters, open: MOST_OPEN_INPUTS }),
    queryFn: () => body(api.GET('/inputs', { params: { query: { ...filters, status: 'open', limit: MOST_OPEN_INPUTS } } })),
  })

/** As many schemas as the server gives at once. */
const SCHEMAS = 500

/** All registered schemas. */
export const schemasQuery = () =>
  queryOptions({
    queryKey: queryKeys.schemas.list(),
    queryFn: () => everyItem((cursor) => body(api.GET('/schemas', { params: { query: { limit: SCHEMAS, cursor } } }))),
  })

/** Both contracts of an agent. */
export const contractQuery = (name: string) =>
  queryOptions({
    queryKey: queryKeys.agents.contract(name),
    queryFn: () => body(api.GET('/agents/{name}/contract', { params: { path: { name } } })),
    retry: false,
  })

/** Runners come and go without an event. */
const RUNNERS_MS = 10_000

export const runnersQuery = () =>
  queryOptions({
    queryKey: queryKeys.runners.all,
    queryFn: () => body(api.GET('/runners')),
    refetchInterval: RUNNERS_MS,
  })

/** The names of workflows. */
export const workflowNamesQuery = () =>
  queryOptions({ queryKey: queryKeys.workflows.list(), queryFn: () => body(api.GET('/workflows')) })

/** As many of the newest as are worth searching by name. */
const RECENT = 100

/** The newest sessions, runs and workflow runs, to jump to. */
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
