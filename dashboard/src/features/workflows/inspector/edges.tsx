/** Lists and edits the edges of a node, usable with the keyboard. */
import { X } from 'lucide-react'
import type { GraphEdge } from '@/components/graph'
import { Button, Select } from '@/components/ui'
import { possibleEnds } from '../connect'
import { useDraft } from '../draft'
import { addEdge, removeEdges } from '../edit'
import { useSelection } from '../selection'
import { useNode } from './node'
import { Section } from './section'

export function NodeEdges() {
  const { node } = useNode()
  const { graph } = useDraft()
  return (
    <Section title="Edges">
      {node.kind === 'input' ? null : (
        <Ends end="from" label="Upstream" add="Add upstream node" edges={graph.edges.filter((edge) => edge.to === node.id)} />
      )}
      {node.kind === 'output' ? null : (
        <Ends end="to" label="Downstream" add="Add downstream node" edges={graph.edges.filter((edge) => edge.from === node.id)} />
      )}
    </Section>
  )
}

interface EndsProps {
  end: 'from' | 'to'
  label: string
  add: string
  edges: GraphEdge[]
}

function Ends({ end, label, add, edges }: EndsProps) {
  const { node } = useNode()
  const { graph, edit } = useDraft()
  const selection = useSelection()
  const possible = possibleEnds(graph, node.id, end)
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
              onClick={() => selection.select({ edge: edge.index })}
            >
              <span className="sr-only">The edge {end} </span>
              {end === 'from' ? edge.from : edge.to}
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
            if (other !== '') edit(end === 'from' ? addEdge(other, node.id) : addEdge(node.id, other))
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
