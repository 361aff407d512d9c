import { queryOptions } from '@tanstack/react-query'
import { type Api, api, body, queryKeys, text } from '@/api'
import { LOOK_AGAIN_MS } from '@/api/queries'
import { type Json, at, parse, toPlain, write } from '@/lib/lossless'

export const workflowsQuery = () =>
  queryOptions({
    queryKey: queryKeys.workflows.list(),
    queryFn: () => body(api.GET('/workflows')),
    refetchInterval: LOOK_AGAIN_MS,
  })

/** As many of the newest runs as are looked through for the last one of each workflow. */
const NEWEST_RUNS = 200

/** The newest run of each workflow, by its name; of those that have one lately. */
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

/** A workflow, its document in its own order and digits. */
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
    refetchInterval: LOOK_AGAIN_MS,
  })

/** What the client types a document as; the text that is sent is made by ourselves. */
const TYPED = {}

/** What is wrong with a workflow. Nothing is stored. */
export const checkQuery = (document: Json) => {
  const sent = write(document)
  return queryOptions({
    queryKey: queryKeys.workflows.check(sent),
    queryFn: () => body(api.POST('/workflows/validate', { body: TYPED, bodySerializer: () => sent })),
    staleTime: 30_000,
    gcTime: 60_000,
  })
}

export async function createWorkflow(document: Json): Promise<Workflow> {
  const sent = write(document)
  return readWorkflow(await body(api.POST('/workflows', { body: TYPED, bodySerializer: () => sent, parseAs: 'text' })))
}

/** Writes a workflow, if it is still the one that was seen. */
export async function saveWorkflow(name: string, document: Json, hash: string): Promise<Workflow> {
  const sent = write(document)
  const params = { path: { name }, header: { 'If-Match': `"${hash}"` } }
  return readWorkflow(await body(api.PUT('/workflows/{name}', { params, body: TYPED, bodySerializer: () => sent, parseAs: 'text' })))
}

export function deleteWorkflow(name: string, hash: string): Promise<unknown> {
  const params = { path: { name }, header: { 'If-Match': `"${hash}"` } }
  return body(api.DELETE('/workflows/{name}', { params, parseAs: 'text' }))
}

/** Starts a run; its id. */
export async function startWorkflow(name: string, input: Json | undefined): Promise<string> {
  const sent = `{"input":${write(input ?? new Map())}}`
  const params = { path: { name } }
  const made = await body(api.POST('/workflows/{name}/runs', { params, body: TYPED, bodySerializer: () => sent }))
  return made.workflow_run_id
}
