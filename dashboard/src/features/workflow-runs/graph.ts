/** Converts a workflow run to a graph. */
import type { Api } from '@/api'
import { kindOf } from '@/components/graph/kinds'
import type { Graph, GraphNode } from '@/components/graph/model'
import { duration } from '@/lib/format'

export function graphOf(run: Api.WorkflowRunView): Graph {
  return {
    nodes: run.nodes.map(nodeOf),
    edges: run.edges.map(({ from, to, when, taken }, index) => ({
      id: `${index}:${from}>${to}`, index, from, to, when: when ?? null, taken: taken ?? null,
    })),
  }
}

function nodeOf(node: Api.WorkflowNodeView): GraphNode {
  const inner = node.tasks.some((task) => task.worker?.kind === 'workflow')
  return {
    id: node.id,
    kind: kindOf(node.type),
    worker: node.agent_name ? { kind: inner ? 'workflow' : 'agent', name: node.agent_name } : null,
    detail: node.type === 'check' ? 'condition' : node.type,
    fields: null,
    position: null,
  }
}

/** The note next to a node's status: the progress of a node with many tasks, or its duration. */
export function noteOf(node: Api.WorkflowNodeView): string {
  const { tasks } = node
  const failed = tasks.filter((task) => task.status === 'failed').length
  if (tasks.length > 1 && failed > 0) return `${failed} failed`
  if (tasks.length > 1) return `${tasks.filter((task) => task.status === 'completed').length} of ${tasks.length}`
  if (!node.started_at || !node.finished_at || tasks.length === 0) return ''
  return duration(Date.parse(node.finished_at) - Date.parse(node.started_at))
}

/** Larger graphs always take the full height. */
const MAX_RANKED_NODES = 500

/** The largest number of nodes with the same rank, which determines the height of the graph. */
export function breadthOf(graph: Pick<Graph, 'nodes' | 'edges'>): number {
  if (graph.nodes.length > MAX_RANKED_NODES) return MAX_RANKED_NODES
  const ranks = new Map(graph.nodes.map(({ id }) => [id, 0]))
  // A graph has no cycles, so this many rounds are enough; most graphs need two or three.
  for (let round = 0, changed = true; changed && round < graph.nodes.length; round += 1) {
    changed = false
    for (const { from, to } of graph.edges) {
      const rank = (ranks.get(from) ?? 0) + 1
      if (rank <= (ranks.get(to) ?? 0)) continue
      ranks.set(to, rank)
      changed = true
    }
  }
  const nodesPerRank = new Map<number, number>()
  for (const rank of ranks.values()) nodesPerRank.set(rank, (nodesPerRank.get(rank) ?? 0) + 1)
  return Math.max(0, ...nodesPerRank.values())
}
