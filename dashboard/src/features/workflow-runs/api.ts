import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Api, api, body, queryKeys } from '@/api'
import { openInputsQuery, runQuery } from '@/api/queries'
import { isUnfinished } from '@/lib/status'
import { usageOf } from './model'

export interface WorkflowRunFilters {
  status?: Api.WorkflowStatus
  workflow_name?: string
  q?: string
  since?: string
  until?: string
}

export const fetchWorkflowRuns = (filters: WorkflowRunFilters, limit: number, cursor?: string) =>
  body(api.GET('/workflow-runs', { params: { query: { ...filters, limit, cursor } } }))

export const fetchWorkflowRun = (id: string): Promise<Omit<Api.WorkflowRunSummary, 'input_preview'>> =>
  body(api.GET('/workflow-runs/{id}', { params: { path: { id } } }))

export function useStopWorkflowRun(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => body(api.POST('/workflow-runs/{id}/stop', { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.workflowRuns.all }),
  })
}

/** Continues a run that failed or was stopped. */
export function useRetryWorkflowRun(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => body(api.POST('/workflow-runs/{id}/retry', { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.workflowRuns.all }),
  })
}

/** The maximum number of runs to fetch. If there are more, the totals are shown with a plus sign. */
const MAX_RUNS = 60

/** The total usage of a workflow run's agents, summed up here because the API has no such total. */
export function useUsage(runIds: string[]) {
  const fetched = runIds.slice(0, MAX_RUNS)
  const runs = useQueries({ queries: fetched.map(runQuery) }).flatMap((query) => query.data ?? [])
  return { ...usageOf(runs), partial: runIds.length > fetched.length }
}

const NONE: Api.InputRequest[] = []

/** All open input requests while a run is active; some may belong to its nodes. */
export function useOpenInputs(run: Api.WorkflowRunView): Api.InputRequest[] {
  return useQuery({ ...openInputsQuery(), enabled: isUnfinished(run.status) }).data?.items ?? NONE
}
