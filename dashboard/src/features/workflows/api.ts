import { queryOptions } from '@tanstack/react-query'
import { type Api, api, body, queryKeys, text } from '@/api'
import { REFETCH_MS } from '@/api/queries'
import { type Json, at, parse, toPlain, write } from '@/lib/lossless'

export const workflowsQuery = () =>
  queryOptions({
    queryKey: queryKeys.workflows.list(),
    queryFn: () => body(api.GET('/workflows')),
    refetchInterval: REFETCH_MS,
  })

/** The number of recent runs that are searched for the last run of each workflow. */
const NEWEST_RUNS = 200

/** The latest run of each workflow by name, if it is among the recent runs. */
export const lastRunsQuery = () =>
  queryOptions({
    queryKey: queryKeys.workflowRuns.list({ newest: NEWEST_RUNS }),
    queryFn: async () => {
      const { items } = await body(api.GET('/workflow-runs', { params: { query: { limit: NEWEST_RUNS } } }))
      const last = new Map<string, Api.WorkflowRunSummary>()
      for (const run of items) if (!last.has(run.workflow_name)) last.set(run.workflow_name, run)
      return last
    },
  })

/** A workflow. Its document keeps the order of members and the digits of numbers. */
export interface Workflow {
  view: Api.WorkflowView
  document: Json
}

function readWorkflow(answer: string): Workflow {
  const json = parse(answer)
  return { view: toPlain(json) as Api.WorkflowView, document: at(json, 'workflow') ?? null }
}

export const workflowQuery = (name: string) =>
  queryOptions({
    queryKey: queryKeys.workflows.one(name),
    queryFn: async () => readWorkflow(await text(`/workflows/${encodeURIComponent(name)}`)),
    refetchInterval: REFETCH_MS,
  })

/** Satisfies the client's type for the body; `bodySerializer` sends the lossless text instead. */
const BODY_PLACEHOLDER = {}

/** Validates a workflow without saving it. */
export const checkQuery = (document: Json) => {
  const sent = write(document)
  return queryOptions({
    queryKey: queryKeys.workflows.check(sent),
    queryFn: () => body(api.POST('/workflows/validate', { body: BODY_PLACEHOLDER, bodySerializer: () => sent })),
    staleTime: 30_000,
    gcTime: 60_000,
  })
}

export async function createWorkflow(document: Json): Promise<Workflow> {
  const sent = write(document)
  return readWorkflow(await body(api.POST('/workflows', { body: BODY_PLACEHOLDER, bodySerializer: () => sent, parseAs: 'text' })))
}

/** Saves a workflow unless it has changed since the version with this hash. */
export async function saveWorkflow(name: string, document: Json, hash: string): Promise<Workflow> {
  const sent = write(document)
  const params = { path: { name }, header: { 'If-Match': `"${hash}"` } }
  return readWorkflow(await body(api.PUT('/workflows/{name}', { params, body: BODY_PLACEHOLDER, bodySerializer: () => sent, parseAs: 'text' })))
}

export function deleteWorkflow(name: string, hash: string): Promise<unknown> {
  const params = { path: { name }, header: { 'If-Match': `"${hash}"` } }
  return body(api.DELETE('/workflows/{name}', { params, parseAs: 'text' }))
}

/** Starts a run and returns its id. */
export async function startWorkflow(name: string, input: Json | undefined): Promise<string> {
  const sent = `{"input":${write(input ?? new Map())}}`
  const params = { path: { name } }
  const created = await body(api.POST('/workflows/{name}/runs', { params, body: BODY_PLACEHOLDER, bodySerializer: () => sent }))
  return created.workflow_run_id
}
