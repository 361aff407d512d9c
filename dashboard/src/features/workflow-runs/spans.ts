/** The time spans of the nodes of a workflow run, relative to its start. */
import type { Api } from '@/api'

export interface NodeSpan {
  id: string
  status: Api.NodeStatus
  /** Milliseconds after the start of the run. */
  from: number
  /** The current time for a running node. */
  to: number
}

export interface Spans {
  /** The duration in milliseconds. */
  length: number
  /** Sorted by start. */
  nodes: NodeSpan[]
  /** Nodes that never started. */
  idle: { id: string; status: Api.NodeStatus }[]
}

export function spansOf(run: Pick<Api.WorkflowRunView, 'created_at' | 'finished_at' | 'nodes'>, now: number): Spans {
  const start = Date.parse(run.created_at)
  const end = run.finished_at ? Date.parse(run.finished_at) : now
  const nodes = run.nodes
    .flatMap(({ id, status, started_at, finished_at }): NodeSpan[] => {
      if (!started_at) return []
      const from = Math.max(0, Date.parse(started_at) - start)
      const to = (finished_at ? Date.parse(finished_at) : end) - start
      return [{ id, status, from, to: Math.max(from, to) }]
    })
    .sort((left, right) => left.from - right.from || left.to - right.to)
  const idle = run.nodes.filter((node) => !node.started_at).map(({ id, status }) => ({ id, status }))
  return { length: Math.max(1, end - start, ...nodes.map(({ to }) => to)), nodes, idle }
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
