import { useQuery } from '@tanstack/react-query'
import { Braces, Bot, Workflow as WorkflowIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { agentsQuery } from '@/api/queries'
import { KINDS, NODE_KINDS, type NodeKind } from '@/components/graph'
import { Input } from '@/components/ui'
import { cn } from '@/lib/cn'
import { workflowsQuery } from './api'
import { useDraft } from './draft'
import type { Load, PaletteDrag } from './palette-drag'

interface Props {
  drag: PaletteDrag
  /** By click, tap or key. */
  onAdd: (load: Load) => void
  /** The workflow itself, which cannot be a part of itself. */
  own: string | null
}

/** More than this are found by typing. */
const FEW = 8

/** What a workflow is made of. Each thing can be dragged to the canvas, or pressed. */
export function Palette({ drag, onAdd, own }: Props) {
  const { graph } = useDraft()
  const hasInput = graph.nodes.some((node) => node.kind === 'input')
  const kinds = NODE_KINDS.filter((kind) => kind !== 'input' || !hasInput)
  return (
    <aside aria-label="Palette" className="flex min-w-0 shrink-0 flex-col gap-3 rounded-card border bg-surface p-2 lg:w-50 lg:overflow-y-auto">
      <Group title="Nodes">
        {kinds.map((kind) => (
          <Item key={kind} load={{ kind: 'node', node: kind }} drag={drag} onAdd={onAdd} title={KINDS[kind].meaning} label={`Add ${KINDS[kind].label}`}>
            <Icon kind={kind} /> {KINDS[kind].label}
          </Item>
        ))}
      </Group>
      <Group title="For agent nodes">
        <Item
          load={{ kind: 'schema' }}
          drag={drag}
          onAdd={onAdd}
          title="Drag onto an agent node to define its output schema"
          label="Structured Output"
          className="gap-1.5 rounded-full border-info/50 px-2 text-[0.93rem] bg-info-soft text-info hover:border-info"
        >
          <Braces aria-hidden className="size-4 shrink-0" /> Structured Output
        </Item>
      </Group>
      <Agents drag={drag} onAdd={onAdd} own={own} />
    </aside>
  )
}

function Icon({ kind }: { kind: NodeKind }) {
  const { icon: Sign, colours } = KINDS[kind]
  return (
    <span aria-hidden className={cn('grid size-6 shrink-0 place-items-center rounded [&_svg]:size-3.5', colours)}>
      <Sign />
    </span>
  )
}

function Agents({ drag, onAdd, own }: Props) {
  const [wanted, setWanted] = useState('')
  const agents = useQuery(agentsQuery()).data?.items ?? []
  const workflows = (useQuery(workflowsQuery()).data?.items ?? []).filter(({ name }) => name !== own)
  const all = [
    ...agents.map((agent) => ({ kind: 'agent' as const, ...agent })),
    ...workflows.map((workflow) => ({ kind: 'workflow' as const, ...workflow })),
  ].filter((each) => each.valid)
  const found = all.filter((each) => each.name.toLowerCase().includes(wanted.toLowerCase()))
  if (all.length === 0) return null
  return (
    <Group title="Agents and workflows">
      {all.length > FEW ? (
        <Input
          type="search"
          aria-label="Find agents and workflows"
          placeholder="Find"
          className="min-w-24 shrink-0"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      ) : null}
      {found.map(({ kind, name, description }) => {
        const Sign = kind === 'agent' ? Bot : WorkflowIcon
        return (
          <Item
            key={`${kind} ${name}`}
            load={{ kind: 'node', node: 'agent', worker: { kind, name } }}
            drag={drag}
            onAdd={onAdd}
            title={description}
            label={`Add the ${kind} ${name}`}
          >
            <Sign aria-hidden className="size-4 shrink-0 text-muted" /> <span className="truncate">{name}</span>
          </Item>
        )
      })}
    </Group>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-1">
      <h2 className="px-1 text-[0.86rem] font-medium text-muted">{title}</h2>
      <div className="flex gap-1 overflow-x-auto p-0.5 lg:flex-col lg:overflow-visible">{children}</div>
    </section>
  )
}

interface ItemProps {
  load: Load
  drag: PaletteDrag
  onAdd: (load: Load) => void
  title: string
  label: string
  className?: string
  children: ReactNode
}

function Item({ load, drag, onAdd, title, label, className, children }: ItemProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={title}
      onPointerDown={(event) => drag.press(load, event)}
      onClick={() => {
        if (!drag.wasDrag()) onAdd(load)
      }}
      className={cn(
        'flex h-8 shrink-0 cursor-grab! items-center gap-2 rounded-md border px-1.5 text-left font-medium whitespace-nowrap select-none hover:border-line-strong hover:bg-hover',
        className,
      )}
    >
      {children}
    </button>
  )
}

/** What is being dragged, at the pointer. */
export function Ghost({ drag }: { drag: PaletteDrag }) {
  const { dragged } = drag
  if (dragged === null) return null
  const { load, at } = dragged
  const look = load.kind === 'schema' ? null : KINDS[load.node]
  return (
    <div
      aria-hidden
      className={cn(
        'pointer-events-none fixed z-50 flex items-center gap-2 border bg-raised px-3 py-1.5 font-medium shadow-lg',
        load.kind === 'schema' ? 'rounded-full border-info text-info' : 'rounded-md border-accent',
      )}
      style={{ left: at.x + 8, top: at.y + 8 }}
    >
      {look === null ? <Braces className="size-4" /> : <look.icon className="size-4" />}
      {load.kind === 'schema' ? 'Structured Output' : (load.worker?.name ?? look?.label)}
    </div>
  )
}
