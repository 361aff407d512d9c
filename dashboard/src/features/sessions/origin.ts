/**
 * Finds the workflow run that a session belongs to. Sessions do not store it, but workflow runs list the sessions of their
 * nodes, so the workflow runs that were active when the session started are searched.
 */
import type { Api } from '@/api'

export interface Origin {
  workflow_run_id: string
  workflow_name: string
  node: string
}

/** The maximum number of workflow runs to search. */
const MAX_CANDIDATES = 8

export function candidatesOf(session: Api.SessionView, runs: Api.WorkflowRunSummary[]): string[] {
  const started = Date.parse(session.created_at)
  return runs
    .filter((run) => Date.parse(run.created_at) <= started)
    .filter((run) => !run.finished_at || Date.parse(run.finished_at) >= started)
    .slice(0, MAX_CANDIDATES)
    .map((run) => run.workflow_run_id)
}

export function originIn(run: Api.WorkflowRunView, sessionId: string): Origin | null {
  const { workflow_run_id, workflow_name } = run
  const isSession = (worker: Api.Worker | null | undefined) => worker?.kind === 'run' && worker.session_id === sessionId
  const node = run.nodes.find(({ tasks }) => tasks.some((task) => isSession(task.worker) || task.earlier.some(isSession)))
  return node === undefined ? null : { workflow_run_id, workflow_name, node: node.id }
}
