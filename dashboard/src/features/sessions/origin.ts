/**
 * Which workflow run a session belongs to. Neither a session nor its events say so, a workflow run names the sessions of
 * its nodes: so those are looked at that were at work when the session began. Pure.
 */
import type { Api } from '@/api'

export interface Origin {
  workflow_run_id: string
  workflow_name: string
  node: string
}

/** More that were at work at the same moment are not looked at. */
const MOST = 8

export function candidatesOf(session: Api.SessionView, runs: Api.WorkflowRunSummary[]): string[] {
  const began = Date.parse(session.created_at)
  return runs
    .filter((run) => Date.parse(run.created_at) <= began)
    .filter((run) => !run.finished_at || Date.parse(run.finished_at) >= began)
    .slice(0, MOST)
    .map((run) => run.workflow_run_id)
}

export function originIn(run: Api.WorkflowRunView, sessionId: string): Origin | null {
  const { workflow_run_id, workflow_name } = run
  const works = (worker: Api.Worker | null | undefined) => worker?.kind === 'run' && worker.session_id === sessionId
  const node = run.nodes.find(({ tasks }) => tasks.some((task) => works(task.worker) || task.earlier.some(works)))
  return node === undefined ? null : { workflow_run_id, workflow_name, node: node.id }
}
