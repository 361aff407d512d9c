/** The Structured Output chip: the badge on a node, and the nodes it can be dropped on. */
import { Braces, Lock } from 'lucide-react'
import { FieldCount } from '@/components/graph/node-card'
import type { GraphNode } from '@/components/graph'
import { Badge } from '@/components/ui'
import { plural } from '@/lib/format'
import type { Contracts, OwnOutput } from './contracts'
import { schemaFault } from './model'

/** The output contract of the agent that a node runs. */
export function ownOutput(node: GraphNode, contracts: Contracts): OwnOutput | undefined {
  return node.worker?.kind === 'agent' ? (contracts[node.worker.name]?.output ?? undefined) : undefined
}

/** Why the chip cannot be dropped on a node; null if it can. */
export function chipFault(node: GraphNode, contracts: Contracts): string | null {
  const fault = schemaFault(node)
  if (fault !== null) return fault
  const own = ownOutput(node, contracts)
  if (own !== undefined && !own.replaceable) return `the agent ${node.worker?.name} has an output schema of its own, which cannot be replaced`
  return null
}

interface Props {
  node: GraphNode
  contracts: Contracts
  /** While the chip is dragged: whether it is over this node or elsewhere. */
  landing: 'here' | 'maybe' | null
}

/** The badge on a node's card: the number of fields of its own or its agent's schema, or a drop target for the chip. */
export function SchemaBadge({ node, contracts, landing }: Props) {
  if (landing !== null && node.kind !== 'input' && node.kind !== 'output') {
    const fault = chipFault(node, contracts)
    if (fault === null) {
      return (
        <Badge tone={landing === 'here' ? 'success' : 'info'} className="self-start ring-1 ring-current">
          <Braces aria-hidden /> {node.fields !== null ? 'has a schema' : landing === 'here' ? 'release' : 'drop here'}
        </Badge>
      )
    }
  }
  if (node.fields !== null) return <FieldCount fields={node.fields} />
  const own = ownOutput(node, contracts)
  if (own === undefined || schemaFault(node) !== null) return null
  return (
    <Badge className="self-start" title="The agent's own output schema">
      <Lock aria-hidden /> {plural(own.fields, 'field')}
    </Badge>
  )
}
