import { Braces, CircleX, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge, StatusBadge } from '@/components/ui'
import { cn } from '@/lib/cn'
import { plural } from '@/lib/format'
import { plain } from '@/lib/inert'
import { type Tone, appearanceOf } from '@/lib/status'
import { KINDS } from './kinds'
import { type GraphNode, subtitleOf } from './model'

/** The state of a node in a run. */
export interface NodeState {
  /** A status from `lib/status.ts`. */
  status: string
  /** A short note, such as "2 contradictions" or "3 of 8". */
  note?: ReactNode
}

interface Props {
  node: GraphNode
  selected?: boolean
  state?: NodeState
  /** The severity of its worst problem. */
  trouble?: 'error' | 'warning'
  /** Shown instead of the badge with the number of fields. */
  badge?: ReactNode
  /** Below everything else. */
  children?: ReactNode
}

const BORDERS: Record<Tone, string> = {
  neutral: '',
  info: 'border-info/60',
  success: 'border-success/60',
  warning: 'border-warning/60',
  danger: 'border-danger/60',
}

/** A node: its kind, its name, the agent it runs and the size of its output. */
export function NodeCard({ node, selected, state, trouble, badge, children }: Props) {
  const { icon: Icon, label, colours } = KINDS[node.kind]
  const tone = state === undefined ? 'neutral' : appearanceOf(state.status).tone
  const faded = state !== undefined && (state.status === 'skipped' || state.status === 'waiting')
  return (
    <div
      className={cn(
        'flex w-52 flex-col gap-1.5 rounded-card border border-line-strong bg-surface px-2.5 py-2 text-left shadow-sm',
        BORDERS[tone],
        trouble === 'error' && 'border-danger',
        trouble === 'warning' && 'border-warning',
        state?.status === 'skipped' && 'border-dashed',
        selected && 'border-accent ring-2 ring-accent/40',
      )}
    >
      <div className="flex items-center gap-2">
        <span aria-hidden title={label} className={cn('grid size-8 shrink-0 place-items-center rounded-md [&_svg]:size-4', colours)}>
          <Icon />
        </span>
        <span className="min-w-0 flex-1 leading-tight">
          <span className={cn('block truncate font-semibold', faded && 'text-muted')}>{plain(node.id)}</span>
          <span className="block truncate text-[0.86rem] text-muted" title={subtitleOf(node)}>
            {plain(subtitleOf(node))}
          </span>
        </span>
        {trouble === undefined ? null : <Trouble worst={trouble} />}
      </div>
      {badge ?? (node.fields === null ? null : <FieldCount fields={node.fields} />)}
      {state === undefined ? null : (
        <div className="flex items-center justify-between gap-2">
          <StatusBadge status={state.status} />
          {state.note ? <span className="truncate text-[0.86rem] text-muted">{state.note}</span> : null}
        </div>
      )}
      {children}
    </div>
  )
}

function Trouble({ worst }: { worst: 'error' | 'warning' }) {
  return worst === 'error' ? (
    <CircleX aria-label="has errors" className="size-4 shrink-0 text-danger" />
  ) : (
    <TriangleAlert aria-label="has warnings" className="size-4 shrink-0 text-warning" />
  )
}

export function FieldCount({ fields }: { fields: number }) {
  return (
    <Badge tone="info" className="self-start">
      <Braces aria-hidden /> {plural(fields, 'field')}
    </Badge>
  )
}
