/** Lays out nodes without a position: in ranks, from upstream to downstream. */
import { Graph as DagreGraph, layout as dagre } from '@dagrejs/dagre'
import type { Graph, GraphNode, Point } from './model'

export type Direction = 'down' | 'right'

export interface Size {
  width: number
  height: number
}

/** The size of a card in pixels. It is fixed, so that the layout is the same in every browser. */
export const CARD: Size = { width: 208, height: 60 }
const BADGE_ROW = 26

/** The gap between cards of one rank, and between ranks, which has to fit an edge label. */
const CARD_GAP = 28
const RANK_GAP = 72

/** Larger graphs are laid out in document order by rank: dagre would be slow, and avoiding crossings no longer helps. */
const MAX_DAGRE_NODES = 300

export function sizeOf(node: Pick<GraphNode, 'fields'>, extra = 0): Size {
  return { width: CARD.width, height: CARD.height + (node.fields === null ? 0 : BADGE_ROW) + extra }
}

/** The direction of a graph with saved positions: the axis along which its edges are longer. Null without positions. */
export function directionOf(graph: Graph): Direction | null {
  const places = new Map(graph.nodes.flatMap((node) => (node.position === null ? [] : [[node.id, node.position] as const])))
  let [across, along] = [0, 0]
  for (const { from, to } of graph.edges) {
    const [start, end] = [places.get(from), places.get(to)]
    if (start === undefined || end === undefined) continue
    across += Math.abs(end.x - start.x)
    along += Math.abs(end.y - start.y)
  }
  if (across === 0 && along === 0) return null
  return across > along ? 'right' : 'down'
}

interface Options {
  direction?: Direction
  /** The height of the additional content of each card. */
  extra?: number
}

export interface Arrangement {
  /** The position of each node, by its id. */
  places: Map<string, Point>
  /** The waypoints of edges that go around other nodes, by the edge's id. */
  routes: Map<string, Point[]>
}

/** The position of every node: the saved one, or one by rank that overlaps no other node. */
export function arrange(graph: Graph, { direction = 'down', extra = 0 }: Options = {}): Arrangement {
  const placed = new Map<string, Point>()
  for (const node of graph.nodes) if (node.position !== null) placed.set(node.id, node.position)
  if (placed.size === graph.nodes.length) return { places: placed, routes: new Map() }
  const ranked = graph.nodes.length > MAX_DAGRE_NODES ? byRank(graph, direction, extra) : byDagre(graph, direction, extra)
  if (placed.size === 0) return ranked
  for (const node of graph.nodes) {
    if (placed.has(node.id)) continue
    placed.set(node.id, freePlace(ranked.places.get(node.id) ?? { x: 0, y: 0 }, sizeOf(node, extra), [...placed.values()]))
  }
  return { places: placed, routes: new Map() }
}

function byDagre(graph: Graph, direction: Direction, extra: number): Arrangement {
  const drawing = new DagreGraph()
  drawing.setGraph({ rankdir: direction === 'down' ? 'TB' : 'LR', nodesep: CARD_GAP, edgesep: CARD_GAP, ranksep: RANK_GAP })
  drawing.setDefaultEdgeLabel(() => ({}))
  for (const node of graph.nodes) drawing.setNode(node.id, { ...sizeOf(node, extra) })
  // In reverse, because dagre then places siblings from left to right in document order.
  for (const [from, to] of [...graph.edges.map((edge) => [edge.from, edge.to] as const), ...virtualEdges(graph)].reverse()) {
    if (from !== to) drawing.setEdge(from, to)
  }
  dagre(drawing)
  const places = graph.nodes.map((node): [string, Point] => {
    const { x, y, width, height } = drawing.node(node.id) as Point & Size
    return [node.id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }]
  })
  const routes = graph.edges.flatMap(({ id, from, to }): [string, Point[]][] => {
    const { points = [] } = (from === to ? {} : drawing.edge(from, to)) as { points?: Point[] }
    // The first and last point are at the cards. An edge with fewer than three points between them passes no other node.
    const between = points.slice(1, -1)
    return between.length < 3 ? [] : [[id, between]]
  })
  return { places: new Map(places), routes: new Map(routes) }
}

/** The bounding box of the graph. */
export function boundsOf(graph: Graph, { places, routes }: Arrangement, extra = 0): Point & Size {
  const corners = graph.nodes.flatMap((node) => {
    const place = places.get(node.id) ?? { x: 0, y: 0 }
    // Cards may have a badge that does not come from the document.
    const { width, height } = sizeOf({ ...node, fields: 0 }, extra)
    return [place, { x: place.x + width, y: place.y + height }]
  })
  const points = [...corners, ...[...routes.values()].flat()]
  if (points.length === 0) return { x: 0, y: 0, ...CARD }
  const [left, top] = [Math.min(...points.map(({ x }) => x)), Math.min(...points.map(({ y }) => y))]
  const [right, bottom] = [Math.max(...points.map(({ x }) => x)), Math.max(...points.map(({ y }) => y))]
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** Virtual edges that place unconnected nodes between the input and the output. */
function virtualEdges(graph: Graph): (readonly [string, string])[] {
  const of = (kind: GraphNode['kind']) => graph.nodes.find((node) => node.kind === kind)?.id
  const [input, output] = [of('input'), of('output')]
  const hasUpstream = new Set(graph.edges.map((edge) => edge.to))
  const hasDownstream = new Set(graph.edges.map((edge) => edge.from))
  return graph.nodes.flatMap(({ id, kind }) => {
    const before = input !== undefined && kind !== 'input' && !hasUpstream.has(id) ? [[input, id] as const] : []
    const after = output !== undefined && kind !== 'output' && !hasDownstream.has(id) ? [[id, output] as const] : []
    return [...before, ...after]
  })
}

function byRank(graph: Graph, direction: Direction, extra: number): Arrangement {
  const ranks = ranksOf(graph)
  const filled = new Map<number, number>()
  const step = { width: CARD.width + CARD_GAP, height: CARD.height + BADGE_ROW + extra + RANK_GAP }
  const places = new Map(
    graph.nodes.map((node) => {
      const rank = ranks.get(node.id) ?? 0
      const place = filled.get(rank) ?? 0
      filled.set(rank, place + 1)
      const [across, along] = direction === 'down' ? [place, rank] : [rank, place]
      return [node.id, { x: across * step.width, y: along * step.height }]
    }),
  )
  return { places, routes: new Map() }
}

/** The length of the longest path to each node. Edges that close a cycle are ignored. */
function ranksOf(graph: Graph): Map<string, number> {
  const after = new Map<string, string[]>()
  const open = new Map(graph.nodes.map((node) => [node.id, 0]))
  for (const { from, to } of graph.edges) {
    after.set(from, [...(after.get(from) ?? []), to])
    open.set(to, (open.get(to) ?? 0) + 1)
  }
  const ranks = new Map(graph.nodes.map((node) => [node.id, 0]))
  const ready = graph.nodes.map((node) => node.id).filter((id) => open.get(id) === 0)
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    for (const next of after.get(id) ?? []) {
      ranks.set(next, Math.max(ranks.get(next) ?? 0, (ranks.get(id) ?? 0) + 1))
      const left = (open.get(next) ?? 1) - 1
      open.set(next, left)
      if (left === 0) ready.push(next)
    }
  }
  return ranks
}

/** The wanted position, or the next one below it that overlaps no other node. */
export function freePlace(wanted: Point, size: Size, taken: readonly Point[]): Point {
  const covers = (place: Point) =>
    taken.find(({ x, y }) => Math.abs(x - place.x) < size.width && Math.abs(y - place.y) < size.height)
  let place = wanted
  for (let other = covers(place); other !== undefined; other = covers(place)) {
    place = { x: place.x, y: other.y + size.height + CARD_GAP }
  }
  return place
}
