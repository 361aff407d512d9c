/** A workflow run as the graph that is drawn. Pure. */
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

/** What a card says beside its status: how far a node with many tasks is, or how long it took. */
export function noteOf(node: Api.WorkflowNodeView): string {
  const { tasks } = node
  const failed = tasks.filter((task) => task.status === 'failed').length
  if (tasks.length > 1 && failed > 0) return `${failed} failed`
  if (tasks.length > 1) return `${tasks.filter((task) => task.status === 'completed').length} of ${tasks.length}`
  if (!node.started_at || !node.finished_at || tasks.length === 0) return ''
  return duration(Date.parse(node.finished_at) - Date.parse(node.started_at))
}

/** More nodes take all the room that there is, however they stand. */
const MOST_RANKED = 500

/** How many nodes stand beside each other at most, by the longest way to each: how much room a drawing takes. */
export function breadthOf(graph: Pick<Graph, 'nodes' | 'edges'>): number {
  if (graph.nodes.length > MOST_RANKED) return MOST_RANKED
  const ranks = new Map(graph.nodes.map(({ id }) => [id, 0]))
  // A graph has no circles, so that this many rounds are enough; most need two or three.
  for (let round = 0, moved = true; moved && round < graph.nodes.length; round += 1) {
    moved = false
    for (const { from, to } of graph.edges) {
      const rank = (ranks.get(from) ?? 0) + 1
      if (rank <= (ranks.get(to) ?? 0)) continue
      ranks.set(to, rank)
      moved = true
    }
  }
  const beside = new Map<number, number>()
  for (const rank of ranks.values()) beside.set(rank, (beside.get(rank) ?? 0) + 1)
  return Math.max(0, ...beside.values())
}
