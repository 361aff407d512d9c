import { useQuery } from '@tanstack/react-query'
import { Braces, Bot, Workflow as WorkflowIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { agentsQuery } from '@/api/queries'
import { KINDS, NODE_KINDS, type NodeKind } from '@/components/graph'
import { Input } from '@/components/ui'
import { cn } from '@/lib/cn'
import { workflowsQuery } from './api'
import { useDraft } from './draft'
import type { DragItem, PaletteDrag } from './palette-drag'

interface Props {
  drag: PaletteDrag
  /** Called on click, tap or key press. */
  onAdd: (item: DragItem) => void
  /** The name of this workflow, which cannot contain itself. */
  own: string | null
}

/** With more items, a search field is shown. */
const MAX_WITHOUT_SEARCH = 8

/** The items that can be added to a workflow, by dragging them to the canvas or by clicking them. */
export function Palette({ drag, onAdd, own }: Props) {
  const { graph } = useDraft()
  const hasInput = graph.nodes.some((node) => node.kind === 'input')
  const kinds = NODE_KINDS.filter((kind) => kind !== 'input' || !hasInput)
  return (
    <aside aria-label="Palette" className="flex min-w-0 shrink-0 flex-col gap-3 rounded-card border bg-surface p-2 lg:w-50 lg:overflow-y-auto">
      <Group title="Nodes">
        {kinds.map((kind) => (
          <Item key={kind} item={{ kind: 'node', node: kind }} drag={drag} onAdd={onAdd} title={KINDS[kind].meaning} label={`Add ${KINDS[kind].label}`}>
            <Icon kind={kind} /> {KINDS[kind].label}
          </Item>
        ))}
      </Group>
      <Group title="For agent nodes">
        <Item
          item={{ kind: 'schema' }}
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
  const [searchText, setSearchText] = useState('')
  const agents = useQuery(agentsQuery()).data?.items ?? []
  const workflows = (useQuery(workflowsQuery()).data?.items ?? []).filter(({ name }) => name !== own)
  const all = [
    ...agents.map((agent) => ({ kind: 'agent' as const, ...agent })),
    ...workflows.map((workflow) => ({ kind: 'workflow' as const, ...workflow })),
  ].filter((each) => each.valid)
  const found = all.filter((each) => each.name.toLowerCase().includes(searchText.toLowerCase()))
  if (all.length === 0) return null
  return (
    <Group title="Agents and workflows">
      {all.length > MAX_WITHOUT_SEARCH ? (
        <Input
          type="search"
          aria-label="Find agents and workflows"
          placeholder="Find"
          className="min-w-24 shrink-0"
          value={searchText}
          onChange={(event) => setSearchText(event.target.value)}
        />
      ) : null}
      {found.map(({ kind, name, description }) => {
        const Sign = kind === 'agent' ? Bot : WorkflowIcon
        return (
          <Item
            key={`${kind} ${name}`}
            item={{ kind: 'node', node: 'agent', worker: { kind, name } }}
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
  item: DragItem
  drag: PaletteDrag
  onAdd: (item: DragItem) => void
  title: string
  label: string
  className?: string
  children: ReactNode
}

function Item({ item, drag, onAdd, title, label, className, children }: ItemProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={title}
      onPointerDown={(event) => drag.press(item, event)}
      onClick={() => {
        if (!drag.wasDrag()) onAdd(item)
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

/** The dragged item, shown at the pointer. */
export function Ghost({ drag }: { drag: PaletteDrag }) {
  const { dragged } = drag
  if (dragged === null) return null
  const { item, at } = dragged
  const kind = item.kind === 'schema' ? null : KINDS[item.node]
  return (
    <div
      aria-hidden
      className={cn(
        'pointer-events-none fixed z-50 flex items-center gap-2 border bg-raised px-3 py-1.5 font-medium shadow-lg',
        item.kind === 'schema' ? 'rounded-full border-info text-info' : 'rounded-md border-accent',
      )}
      style={{ left: at.x + 8, top: at.y + 8 }}
    >
      {kind === null ? <Braces className="size-4" /> : <kind.icon className="size-4" />}
      {item.kind === 'schema' ? 'Structured Output' : (item.worker?.name ?? kind?.label)}
    </div>
  )
}
