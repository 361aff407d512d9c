/** Workflows, purely: how a new one looks, where a problem belongs, what a node may be called. */
import type { Api } from '@/api'
import type { Graph, GraphNode } from '@/components/graph'
import { KINDS } from '@/components/graph/kinds'
import { type Json, type JsonMap, at, fromPlain, isMap } from '@/lib/lossless'
import { pathParts } from '@/lib/paths'
import { textOf } from './document'

/** A workflow from nothing: what goes in comes out. */
export function freshText(): string {
  return textOf(
    fromPlain({
      name: '',
      description: '',
      nodes: {
        input: { type: 'input', ...KINDS.input.defaults },
        output: { type: 'output' },
      },
      edges: [],
    }),
  )
}

/** What is sent: a text that nobody wrote is left out. */
export function tidied(document: JsonMap): JsonMap {
  return new Map([...document].filter(([key, value]) => !(key === 'description' && value === '')))
}

/** What of a workflow a problem is about. */
export type Spot = { kind: 'node'; id: string } | { kind: 'edge'; index: number } | { kind: 'whole' }

export function spotOf(problem: Pick<Api.Problem, 'path'>): Spot {
  const [part, key] = pathParts(problem.path)
  if (part === 'nodes' && key !== undefined) return { kind: 'node', id: key }
  if (part === 'edges' && key !== undefined) return { kind: 'edge', index: Number(key) }
  return { kind: 'whole' }
}

export function worstOf(problems: readonly Pick<Api.Problem, 'severity'>[]): 'error' | 'warning' | undefined {
  if (problems.some((problem) => problem.severity === 'error')) return 'error'
  return problems.length > 0 ? 'warning' : undefined
}

/** Problems by the node or edge that they are about. */
export interface Spotted {
  nodes: ReadonlyMap<string, readonly Api.Problem[]>
  edges: ReadonlyMap<number, readonly Api.Problem[]>
  whole: readonly Api.Problem[]
}

export function spotted(problems: readonly Api.Problem[]): Spotted {
  const nodes = new Map<string, Api.Problem[]>()
  const edges = new Map<number, Api.Problem[]>()
  const whole: Api.Problem[] = []
  for (const problem of problems) {
    const spot = spotOf(problem)
    if (spot.kind === 'node') nodes.set(spot.id, [...(nodes.get(spot.id) ?? []), problem])
    else if (spot.kind === 'edge') edges.set(spot.index, [...(edges.get(spot.index) ?? []), problem])
    else whole.push(problem)
  }
  return { nodes, edges, whole }
}

/** Names that templates use for something else, as the server has them. */
const RESERVED = [
  'inputs', 'contradictions', 'near_duplicates', 'agreements', 'item', 'index', 'plan', 'results', 'loop', 'self', 'true', 'false',
  'none', 'null', 'and', 'or', 'not', 'in', 'is', 'if', 'else', 'for', 'as', 'has', 'range', 'dict',
]

/** Why a node cannot be called that; null where it can. */
export function idFault(id: string, graph: Graph, own?: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(id)) return 'Use letters, digits and _; do not start with a digit.'
  if (RESERVED.includes(id)) return `"${id}" is reserved in templates.`
  return id !== own && graph.nodes.some((node) => node.id === id) ? `A node ${id} already exists.` : null
}

/** A free id, from what the node is about: an agent's name, or its kind. */
export function freeId(graph: Graph, about: string): string {
  const cleaned = about.replaceAll(/[^A-Za-z0-9_]+/g, '_').replace(/^(\d)/, '_$1')
  const stem = cleaned === '' || RESERVED.includes(cleaned) ? `${cleaned || 'node'}_1` : cleaned
  const fixed = stem === 'input' || stem === 'output'
  if (idFault(stem, graph) === null && !(fixed && about !== stem)) return stem
  let number = 2
  while (idFault(`${stem}_${number}`, graph) !== null) number += 1
  return `${stem}_${number}`
}

export function nodeAt(document: JsonMap, id: string): JsonMap {
  const node = at(document, 'nodes', id)
  return isMap(node) ? node : new Map()
}

/** Whether a node may have an output schema of its own; why not, where it may not. */
export function schemaFault(node: GraphNode): string | null {
  const { schemaFault } = KINDS[node.kind]
  return schemaFault === undefined ? `a node of type ${node.kind} has no structured output` : schemaFault(node.worker)
}

/** What the chip begins with. */
export const FRESH_SCHEMA: Json = fromPlain({
  type: 'object',
  properties: { summary: { type: 'string', description: 'The answer in one paragraph' } },
  required: ['summary'],
  additionalProperties: false,
})

/** The schema of what goes in, as the saved document has it; null where nothing is said. */
export function inputSchema(document: Json): Json | null {
  const nodes = at(document, 'nodes')
  const input = isMap(nodes) ? [...nodes.values()].find((node) => at(node, 'type') === 'input') : undefined
  return at(input, 'schema') ?? null
}

export function unknownParts(kind: GraphNode['kind'], node: JsonMap): string[] {
  if (kind === 'unknown') return []
  const known = ['type', 'description', 'position', ...KINDS[kind].fields]
  return [...node.keys()].filter((key) => !known.includes(key))
}

/** A document by the parts that two people can change without touching each other: each node is one. */
export function partsOf(document: JsonMap): JsonMap {
  const parts = new Map<string, Json>()
  for (const [key, value] of document) {
    if (key === 'nodes' && isMap(value)) for (const [id, node] of value) parts.set(`nodes.${id}`, node)
    else parts.set(key, value)
  }
  return parts
}

export function fromParts(parts: JsonMap): JsonMap {
  const document = new Map<string, Json>()
  const nodes = new Map<string, Json>()
  for (const [key, value] of parts) {
    if (key.startsWith('nodes.')) {
      nodes.set(key.slice('nodes.'.length), value)
      document.set('nodes', nodes)
    } else document.set(key, value)
  }
  return document
}
