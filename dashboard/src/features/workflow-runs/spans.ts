/** When each node of a workflow run worked, as parts of the whole run. Pure. */
import type { Api } from '@/api'

export interface NodeSpan {
  id: string
  status: Api.NodeStatus
  /** Milliseconds after the run began. */
  from: number
  /** While it runs, until now. */
  to: number
}

export interface Spans {
  /** Milliseconds from the first moment to the last. */
  length: number
  /** In the order in which they began. */
  nodes: NodeSpan[]
  /** Nodes that never began. */
  idle: { id: string; status: Api.NodeStatus }[]
}

export function spansOf(run: Pick<Api.WorkflowRunView, 'created_at' | 'finished_at' | 'nodes'>, now: number): Spans {
  const began = Date.parse(run.created_at)
  const ended = run.finished_at ? Date.parse(run.finished_at) : now
  const nodes = run.nodes
    .flatMap(({ id, status, started_at, finished_at }): NodeSpan[] => {
      if (!started_at) return []
      const from = Math.max(0, Date.parse(started_at) - began)
      const to = (finished_at ? Date.parse(finished_at) : ended) - began
      return [{ id, status, from, to: Math.max(from, to) }]
    })
    .sort((left, right) => left.from - right.from || left.to - right.to)
  const idle = run.nodes.filter((node) => !node.started_at).map(({ id, status }) => ({ id, status }))
  return { length: Math.max(1, ended - began, ...nodes.map(({ to }) => to)), nodes, idle }
}

const STEPS = [1, 2, 5]

/** Marks for an axis of this length: at most five steps, each a round number of milliseconds. */
export function ticksOf(length: number): number[] {
  let step = 1
  for (let scale = 1; length / step > 5; scale *= 10) {
    for (const factor of STEPS) {
      step = factor * scale
      if (length / step <= 5) break
    }
  }
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step)
}
