/** Which edges can be, decided while they are drawn. The server looks at what flows along them. */
import type { Graph } from '@/components/graph'

/** Why there can be no such edge; null where there can. */
export function edgeFault(graph: Graph, from: string, to: string): string | null {
  const kind = (id: string) => graph.nodes.find((node) => node.id === id)?.kind
  if (from === to) return `${from} cannot connect to itself`
  if (kind(to) === 'input') return 'the workflow input cannot have upstream nodes'
  if (kind(from) === 'output') return 'a workflow output cannot have downstream nodes'
  if (graph.edges.some((edge) => edge.from === from && edge.to === to)) return `${from} is already connected to ${to}`
  const way = wayBetween(graph, to, from)
  return way === null ? null : `it would create a cycle: ${[...way, to].join(' → ')}`
}

/** The nodes of the shortest way, its ends included; null where there is none. */
function wayBetween(graph: Graph, from: string, to: string): string[] | null {
  const after = new Map<string, string[]>()
  for (const edge of graph.edges) after.set(edge.from, [...(after.get(edge.from) ?? []), edge.to])
  const before = new Map<string, string | null>([[from, null]])
  const queue = [from]
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    if (id === to) {
      const way = [id]
      for (let step = before.get(id); step; step = before.get(step)) way.unshift(step)
      return way
    }
    for (const next of after.get(id) ?? []) {
      if (before.has(next)) continue
      before.set(next, id)
      queue.push(next)
    }
  }
  return null
}

/** Nodes that an edge to or from this one could have as its other end. */
export function possibleEnds(graph: Graph, id: string, way: 'from' | 'to'): string[] {
  return graph.nodes
    .map((node) => node.id)
    .filter((other) => (way === 'from' ? edgeFault(graph, other, id) : edgeFault(graph, id, other)) === null)
}
