/** Decides which edges are allowed while they are drawn. The server checks whether the schemas match. */
import type { Graph } from '@/components/graph'

/** Why an edge is not allowed; null if it is. */
export function edgeFault(graph: Graph, from: string, to: string): string | null {
  const kind = (id: string) => graph.nodes.find((node) => node.id === id)?.kind
  if (from === to) return `${from} cannot connect to itself`
  if (kind(to) === 'input') return 'the workflow input cannot have upstream nodes'
  if (kind(from) === 'output') return 'a workflow output cannot have downstream nodes'
  if (graph.edges.some((edge) => edge.from === from && edge.to === to)) return `${from} is already connected to ${to}`
  const path = pathBetween(graph, to, from)
  return path === null ? null : `it would create a cycle: ${[...path, to].join(' → ')}`
}

/** The nodes of the shortest path, including its ends; null if there is none. */
function pathBetween(graph: Graph, from: string, to: string): string[] | null {
  const after = new Map<string, string[]>()
  for (const edge of graph.edges) after.set(edge.from, [...(after.get(edge.from) ?? []), edge.to])
  const before = new Map<string, string | null>([[from, null]])
  const queue = [from]
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    if (id === to) {
      const path = [id]
      for (let step = before.get(id); step; step = before.get(step)) path.unshift(step)
      return path
    }
    for (const next of after.get(id) ?? []) {
      if (before.has(next)) continue
      before.set(next, id)
      queue.push(next)
    }
  }
  return null
}

/** The nodes that can be connected to this one. `end` is the other end of the edge. */
export function possibleEnds(graph: Graph, id: string, end: 'from' | 'to'): string[] {
  return graph.nodes
    .map((node) => node.id)
    .filter((other) => (end === 'from' ? edgeFault(graph, other, id) : edgeFault(graph, id, other)) === null)
}
