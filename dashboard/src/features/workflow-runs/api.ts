import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Api, api, body, queryKeys } from '@/api'
import { openInputsQuery, runQuery } from '@/api/queries'
import { isUnderWay } from '@/lib/status'
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

/** More runs than this are not asked for one by one; the page says that there are more. */
const MOST_RUNS = 60

/** What the agents of a workflow run have used so far: no view of the server adds that up. */
export function useUsage(runIds: string[]) {
  const asked = runIds.slice(0, MOST_RUNS)
  const runs = useQueries({ queries: asked.map(runQuery) }).flatMap((query) => query.data ?? [])
  return { ...usageOf(runs), partial: runIds.length > asked.length }
}

const NONE: Api.InputRequest[] = []

/** The open requests for input while a run works: some may be its nodes'. */
export function useOpenInputs(run: Api.WorkflowRunView): Api.InputRequest[] {
  return useQuery({ ...openInputsQuery(), enabled: isUnderWay(run.status) }).data?.items ?? NONE
}
