/** The logic of the workflow editor: new workflows, which node or edge a problem belongs to, and node ids. */
import type { Api } from '@/api'
import type { Graph, GraphNode } from '@/components/graph'
import { KINDS } from '@/components/graph/kinds'
import { type Json, type JsonMap, at, fromPlain, isMap } from '@/lib/lossless'
import { pathParts } from '@/lib/paths'
import { textOf } from './document'

/** The text of a new workflow, with an input and an output node. */
export function newWorkflowText(): string {
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

/** The document to send, without an empty description. */
export function tidied(document: JsonMap): JsonMap {
  return new Map([...document].filter(([key, value]) => !(key === 'description' && value === '')))
}

/** The part of a workflow that a problem is about. */
export type ProblemTarget = { kind: 'node'; id: string } | { kind: 'edge'; index: number } | { kind: 'whole' }

export function targetOf(problem: Pick<Api.Problem, 'path'>): ProblemTarget {
  const [part, key] = pathParts(problem.path)
  if (part === 'nodes' && key !== undefined) return { kind: 'node', id: key }
  if (part === 'edges' && key !== undefined) return { kind: 'edge', index: Number(key) }
  return { kind: 'whole' }
}

export function worstOf(problems: readonly Pick<Api.Problem, 'severity'>[]): 'error' | 'warning' | undefined {
  if (problems.some((problem) => problem.severity === 'error')) return 'error'
  return problems.length > 0 ? 'warning' : undefined
}

/** Errors before warnings. */
export function worstFirst(problems: readonly Api.Problem[]): Api.Problem[] {
  return [...problems].sort((left, right) => Number(right.severity === 'error') - Number(left.severity === 'error'))
}

/** Problems grouped by node and edge. */
export interface ProblemsByTarget {
  nodes: ReadonlyMap<string, readonly Api.Problem[]>
  edges: ReadonlyMap<number, readonly Api.Problem[]>
  whole: readonly Api.Problem[]
}

export function groupProblems(problems: readonly Api.Problem[]): ProblemsByTarget {
  const nodes = new Map<string, Api.Problem[]>()
  const edges = new Map<number, Api.Problem[]>()
  const whole: Api.Problem[] = []
  for (const problem of problems) {
    const target = targetOf(problem)
    if (target.kind === 'node') nodes.set(target.id, [...(nodes.get(target.id) ?? []), problem])
    else if (target.kind === 'edge') edges.set(target.index, [...(edges.get(target.index) ?? []), problem])
    else whole.push(problem)
  }
  return { nodes, edges, whole }
}

/** Names that are reserved in templates; the same list as the server's. */
const RESERVED = [
  'inputs', 'contradictions', 'near_duplicates', 'agreements', 'item', 'index', 'plan', 'results', 'loop', 'self', 'true', 'false',
  'none', 'null', 'and', 'or', 'not', 'in', 'is', 'if', 'else', 'for', 'as', 'has', 'range', 'dict',
]

/** Why an id is not allowed; null if it is. */
export function idFault(id: string, graph: Graph, own?: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(id)) return 'Use letters, digits and _; do not start with a digit.'
  if (RESERVED.includes(id)) return `"${id}" is reserved in templates.`
  return id !== own && graph.nodes.some((node) => node.id === id) ? `A node ${id} already exists.` : null
}

/** An unused id, derived from the name of the node's agent or from its kind. */
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

/** Why a node cannot have its own output schema; null if it can. */
export function schemaFault(node: GraphNode): string | null {
  const { schemaFault } = KINDS[node.kind]
  return schemaFault === undefined ? `a node of type ${node.kind} has no structured output` : schemaFault(node.worker)
}

/** The initial schema when Structured Output is added. */
export const NEW_SCHEMA: Json = fromPlain({
  type: 'object',
  properties: { summary: { type: 'string', description: 'The answer in one paragraph' } },
  required: ['summary'],
  additionalProperties: false,
})

/** The input schema of a workflow; null if it has none. */
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

/** Splits a document into parts for merging concurrent changes; each node is a part of its own. */
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
