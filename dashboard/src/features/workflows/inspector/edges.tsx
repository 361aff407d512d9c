/** The edges of a node, without a mouse. */
import { X } from 'lucide-react'
import type { GraphEdge } from '@/components/graph'
import { Button, Select } from '@/components/ui'
import { possibleEnds } from '../connect'
import { useDraft } from '../draft'
import { addEdge, removeEdges } from '../edit'
import { useLook } from '../selection'
import { useNode } from './node'
import { Section } from './section'

export function NodeEdges() {
  const { node } = useNode()
  const { graph } = useDraft()
  return (
    <Section title="Edges">
      {node.kind === 'input' ? null : (
        <Ends way="from" label="Upstream" add="Add upstream node" edges={graph.edges.filter((edge) => edge.to === node.id)} />
      )}
      {node.kind === 'output' ? null : (
        <Ends way="to" label="Downstream" add="Add downstream node" edges={graph.edges.filter((edge) => edge.from === node.id)} />
      )}
    </Section>
  )
}

interface EndsProps {
  way: 'from' | 'to'
  label: string
  add: string
  edges: GraphEdge[]
}

function Ends({ way, label, add, edges }: EndsProps) {
  const { node } = useNode()
  const { graph, edit } = useDraft()
  const look = useLook()
  const possible = possibleEnds(graph, node.id, way)
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium">{label}</p>
      {edges.length === 0 && possible.length === 0 ? <p className="text-muted">none</p> : null}
      <ul className="flex flex-col gap-1">
        {edges.map((edge) => (
          <li key={edge.id} className="flex items-center gap-1 rounded-md bg-sunken pl-2">
            <button
              type="button"
              className="min-w-0 flex-1 truncate py-1 text-left hover:underline"
              onClick={() => look.select({ edge: edge.index })}
            >
              <span className="sr-only">The edge {way} </span>
              {way === 'from' ? edge.from : edge.to}
              {edge.when === null ? null : <code className="ml-2 text-muted">when {edge.when}</code>}
            </button>
            <Button
              variant="ghost"
              size="small"
              aria-label={`Remove the edge from ${edge.from} to ${edge.to}`}
              onClick={() => edit(removeEdges([edge.index]))}
            >
              <X aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      {possible.length === 0 ? null : (
        <Select
          aria-label={add}
          value=""
          onChange={(event) => {
            const other = event.target.value
            if (other !== '') edit(way === 'from' ? addEdge(other, node.id) : addEdge(node.id, other))
          }}
        >
          <option value="">{add}…</option>
          {possible.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </Select>
      )}
    </div>
  )
}
