/** What the editor fills in from the input schema of an agent. */
import type { Graph, GraphNode } from '@/components/graph'
import { KINDS } from '@/components/graph/kinds'
import { type Json, type JsonMap, at, fromPlain, isList, isMap, same } from '@/lib/lossless'
import type { Contracts } from './contracts'
import { type Edit, setPart } from './edit'
import { nodeAt } from './model'

const DEFAULT_INPUT = fromPlain(KINDS.input.defaults.schema)

function propertiesOf(schema: Json | undefined): JsonMap {
  const properties = at(schema, 'properties')
  return isMap(properties) ? properties : new Map()
}

function inputOf(node: GraphNode | undefined, contracts: Contracts): Json | undefined {
  return node?.worker?.kind === 'agent' ? contracts[node.worker.name]?.input : undefined
}

/** Whether an agent takes an input with the fields of the default schema. */
function takesDefault(schema: Json): boolean {
  const given = [...propertiesOf(DEFAULT_INPUT).keys()]
  const required = at(schema, 'required')
  if (isList(required) && required.some((name) => !given.includes(String(name)))) return false
  return at(schema, 'additionalProperties') !== false || given.every((name) => propertiesOf(schema).has(name))
}

/**
 * Gives the workflow the input of an agent that is connected to its input node. Null if the user has changed the input, if
 * another node reads it already, or if the agent takes it as it is.
 */
export function adoptInput(document: JsonMap, graph: Graph, contracts: Contracts, from: string, to: string): Edit | null {
  const [source, target] = [from, to].map((id) => graph.nodes.find((node) => node.id === id))
  const wanted = inputOf(target, contracts)
  if (source?.kind !== 'input' || wanted === undefined || takesDefault(wanted)) return null
  const isUntouched = same(at(nodeAt(document, from), 'schema'), DEFAULT_INPUT)
  return isUntouched && !graph.edges.some((edge) => edge.from === from) ? setPart(from, ['schema'], wanted) : null
}

/** Parameters with every field of the agent: from the input of the workflow where it has a field of that name. */
export function parametersFor(node: GraphNode, document: JsonMap, graph: Graph, contracts: Contracts): JsonMap {
  const schema = inputOf(node, contracts)
  const input = graph.nodes.find((each) => each.kind === 'input')
  const isUpstream = input !== undefined && graph.edges.some((edge) => edge.from === input.id && edge.to === node.id)
  const given = isUpstream ? propertiesOf(at(nodeAt(document, input.id), 'schema')) : new Map<string, Json>()
  const names = [...propertiesOf(schema).keys()]
  return new Map((names.length === 0 ? ['prompt'] : names).map((name) => [name, given.has(name) ? `{{ ${input?.id}.${name} }}` : '']))
}
