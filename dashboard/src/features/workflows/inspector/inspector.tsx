import { ArrowRight, Trash2, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { type GraphEdge, type GraphNode, KINDS } from '@/components/graph'
import { Locked, useReadOnly } from '@/components/read-only'
import { Button, Field, Input, Textarea } from '@/components/ui'
import { write } from '@/lib/lossless'
import { useDraft } from '../draft'
import { removeEdges, removeNodes, setMember, setWhen } from '../edit'
import { Findings } from '../findings'
import { FORMS } from '../kinds'
import { unknownParts } from '../model'
import { useSelection } from '../selection'
import { ComparisonNote } from './comparison'
import { NodeEdges } from './edges'
import { Identity } from './identity'
import { NodeProvider, useNode } from './node'
import { Section } from './section'

/** Edits the selected node or edge, or the workflow itself if nothing is selected. */
export function Inspector({ onChip, isNew }: { onChip: () => void; isNew: boolean }) {
  const { graph } = useDraft()
  const selection = useSelection()
  const node = graph.nodes.find((each) => each.id === selection.node)
  const edge = graph.edges.find((each) => each.index === selection.edge)
  return (
    <aside aria-label="Inspector" className="min-w-0 shrink-0 rounded-card border bg-surface lg:w-96 lg:overflow-y-auto">
      {node !== undefined ? (
        <NodeProvider value={node}>
          <NodeInspector key={node.id} node={node} onChip={onChip} />
        </NodeProvider>
      ) : edge !== undefined ? (
        <EdgeInspector key={edge.index} edge={edge} />
      ) : (
        <WorkflowInspector isNew={isNew} />
      )}
    </aside>
  )
}

interface HeaderProps {
  icon?: ReactNode
  title: ReactNode
  actions?: ReactNode
}

function Header({ icon, title, actions }: HeaderProps) {
  const selection = useSelection()
  return (
    <header className="sticky top-0 z-10 flex items-center gap-2 border-b bg-surface py-2 pr-2 pl-4">
      {icon}
      <h2 className="min-w-0 flex-1 truncate font-semibold">{title}</h2>
      <Locked>{actions}</Locked>
      {selection.node === undefined && selection.edge === undefined ? null : (
        <Button variant="ghost" size="icon" aria-label="Close the inspector" title="Close" onClick={() => selection.select({})}>
          <X aria-hidden />
        </Button>
      )}
    </header>
  )
}

function NodeInspector({ node, onChip }: { node: GraphNode; onChip: () => void }) {
  const { edit, problemsBy } = useDraft()
  const selection = useSelection()
  const { icon: Icon, label, colours, meaning } = KINDS[node.kind]
  const Form = node.kind === 'unknown' ? null : FORMS[node.kind]
  const problems = problemsBy.nodes.get(node.id) ?? []
  return (
    <>
      <Header
        icon={
          <span aria-hidden className={`grid size-7 shrink-0 place-items-center rounded-md [&_svg]:size-4 ${colours}`}>
            <Icon />
          </span>
        }
        title={
          <>
            {node.id} <span className="font-normal text-muted">{label}</span>
          </>
        }
        actions={
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove ${node.id}`}
            title="Remove it"
            onClick={() => {
              edit(removeNodes([node.id]))
              selection.clear()
            }}
          >
            <Trash2 aria-hidden />
          </Button>
        }
      />
      {problems.length > 0 ? (
        <div className="border-b px-4 py-3">
          <Findings problems={problems} />
        </div>
      ) : null}
      <p className="px-4 pt-3 text-muted">{meaning}</p>
      <Locked>
        <Identity />
        <ComparisonNote />
        {Form === null ? null : <Form onChip={onChip} />}
        <NodeEdges />
        <Unknown />
      </Locked>
    </>
  )
}

/** Unknown fields of a node, such as misspelt ones. */
function Unknown() {
  const { node, value, set } = useNode()
  const unknown = unknownParts(node.kind, value)
  if (unknown.length === 0) return null
  return (
    <Section title="Unknown fields">
      {unknown.map((key) => (
        <div key={key} className="flex items-center gap-2">
          <code className="min-w-0 flex-1 break-all">
            {key}: {write(value.get(key) ?? null)}
          </code>
          <Button size="small" onClick={() => set([key], undefined)}>
            <X aria-hidden /> Remove {key}
          </Button>
        </div>
      ))}
    </Section>
  )
}

function EdgeInspector({ edge }: { edge: GraphEdge }) {
  const { edit, problemsBy } = useDraft()
  const selection = useSelection()
  const problems = problemsBy.edges.get(edge.index) ?? []
  const end = (id: string) => (
    <button type="button" className="truncate hover:underline" onClick={() => selection.select({ node: id })}>
      {id}
    </button>
  )
  return (
    <>
      <Header
        title={
          <span className="flex items-center gap-1.5">
            {end(edge.from)} <ArrowRight aria-label="to" className="size-4 shrink-0 text-muted" /> {end(edge.to)}
          </span>
        }
        actions={
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove the edge from ${edge.from} to ${edge.to}`}
            title="Remove it"
            onClick={() => {
              edit(removeEdges([edge.index]))
              selection.clear()
            }}
          >
            <Trash2 aria-hidden />
          </Button>
        }
      />
      <div className="flex flex-col gap-3 px-4 py-3">
        {problems.length > 0 ? <Findings problems={problems} /> : null}
        <Locked>
          <Field
            label="Condition"
            hint={
              <>
                CEL condition over <code>output</code> (of {edge.from}) and <code>input</code> (of the workflow). Empty: always.
              </>
            }
          >
            {(ids) => (
              <Textarea
                {...ids}
                rows={2}
                className="min-h-8 font-mono text-[0.93rem] [field-sizing:content]"
                placeholder="output.findings.size() > 0"
                spellCheck={false}
                value={edge.when ?? ''}
                onChange={(event) => edit(setWhen(edge.index, event.target.value), `when ${edge.index}`)}
              />
            )}
          </Field>
        </Locked>
      </div>
    </>
  )
}

function WorkflowInspector({ isNew }: { isNew: boolean }) {
  const { document, edit, problems, graph } = useDraft()
  const readOnly = useReadOnly()
  const text = (key: string) => {
    const value = document.get(key)
    return typeof value === 'string' ? value : ''
  }
  const nameProblem = problems.find((problem) => problem.path === '$.name')
  return (
    <>
      <Header title="Workflow" />
      <div className="flex flex-col gap-3 px-4 py-3">
        <Locked>
          {isNew ? (
            <Field label="Name" hint="Letters, digits, -, _ and . Cannot be changed later." error={text('name') === '' ? undefined : nameProblem?.message}>
              {(ids) => (
                <Input {...ids} placeholder="code-review" value={text('name')} onChange={(event) => edit(setMember('name', event.target.value), 'name')} />
              )}
            </Field>
          ) : null}
          <Field label="Description">
            {(ids) => (
              <Input {...ids} value={text('description')} onChange={(event) => edit(setMember('description', event.target.value), 'description')} />
            )}
          </Field>
        </Locked>
      </div>
      <Section title={isNew && problems.length > 0 ? 'To do before you can create it' : 'Problems'}>
        <Findings problems={problems} />
      </Section>
      {readOnly ? null : (
        <Section title="How to draw">
          <ul className="flex list-disc flex-col gap-1 pl-4 text-muted">
            <li>Drag items from the palette, or click them.</li>
            <li>Drag from the dot on a node to another node to connect them.</li>
            <li>Drag Structured Output onto an agent node to define its output schema.</li>
            <li>Keyboard: Tab to a node, Enter selects it, arrow keys move it, Delete removes it.</li>
            {graph.nodes.length < 3 ? <li>The outputs of several agents upstream of one node are compared before it runs.</li> : null}
          </ul>
        </Section>
      )}
    </>
  )
}
