/** Reads a workflow document as nodes and edges. An invalid document is read as far as possible. */
import { countFields, readSchema } from '@/components/builder/model'
import { type Json, type JsonMap, at, isList, isMap } from '@/lib/lossless'
import { KINDS, type NodeKind, kindOf } from './kinds'
import { textAt } from './kinds/kind'

export interface Point {
  x: number
  y: number
}

/** The agent or workflow that a node runs. */
export interface Worker {
  kind: 'agent' | 'inline' | 'workflow'
  name: string
}

export interface GraphNode {
  id: string
  /** `unknown` if the type is missing or not known to this version. */
  kind: NodeKind | 'unknown'
  worker: Worker | null
  /** A one-line detail, such as the condition of a check or the list of a map. */
  detail: string
  /** The number of fields of its own output schema; null if it has none. */
  fields: number | null
  /** The saved position, if any. */
  position: Point | null
}

export interface GraphEdge {
  id: string
  /** Its index in the document's list. */
  index: number
  from: string
  to: string
  when: string | null
  /** In a run: whether it was taken; null if that is not decided yet. */
  taken?: boolean | null
}

export interface Graph {
  nodes: GraphNode[]
  edges: GraphEdge[]
}

/** Reads the graph of a workflow document. Edges to missing nodes are omitted. */
export function readGraph(document: Json): Graph {
  const nodes = at(document, 'nodes')
  const edges = at(document, 'edges')
  const found = isMap(nodes) ? [...nodes].map(([id, value]) => readNode(id, value)) : []
  const ids = new Set(found.map((node) => node.id))
  const links = isList(edges) ? edges.flatMap((edge, index) => readEdge(edge, index)) : []
  return { nodes: found, edges: links.filter((edge) => ids.has(edge.from) && ids.has(edge.to)) }
}

function readNode(id: string, value: Json): GraphNode {
  const node: JsonMap = isMap(value) ? value : new Map()
  const kind = kindOf(node.get('type'))
  const schema = node.get(KINDS[kind].schemaField ?? 'output_schema')
  return {
    id,
    kind,
    worker: workerOf(node),
    detail: KINDS[kind].detail?.(node) ?? '',
    fields: schema === undefined || schema === null ? null : countFields(readSchema(schema)),
    position: pointOf(node.get('position')),
  }
}

function workerOf(node: JsonMap): Worker | null {
  const agent = node.get('agent')
  const workflow = node.get('workflow')
  if (typeof agent === 'string') return { kind: 'agent', name: agent }
  if (isMap(agent)) return { kind: 'inline', name: textAt(agent, 'name') || 'inline agent' }
  return typeof workflow === 'string' ? { kind: 'workflow', name: workflow } : null
}

function pointOf(value: Json | undefined): Point | null {
  const [x, y] = isMap(value) ? [value.get('x'), value.get('y')] : []
  return typeof x === 'number' && typeof y === 'number' ? { x, y } : null
}

function edgeId(from: string, to: string, index: number): string {
  return `${index}:${from}>${to}`
}

function readEdge(value: Json, index: number): GraphEdge[] {
  const [from, to, when] = [at(value, 'from'), at(value, 'to'), at(value, 'when')]
  if (typeof from !== 'string' || typeof to !== 'string') return []
  return [{ id: edgeId(from, to, index), index, from, to, when: typeof when === 'string' ? when : null }]
}

/** A short description of a node, shown below its title and read by screen readers. */
export function subtitleOf(node: GraphNode): string {
  return KINDS[node.kind].subtitle(node)
}
