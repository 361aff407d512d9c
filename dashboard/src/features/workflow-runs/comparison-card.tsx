import { CircleCheckBig, CopyCheck, GitCompareArrows, type LucideIcon } from 'lucide-react'
import { Pieces } from '@/components/inert-text'
import { Badge, Card } from '@/components/ui'
import { cn } from '@/lib/cn'
import { plain } from '@/lib/inert'
import type { Tone } from '@/lib/status'
import type { Part } from '@/lib/words'
import type { Compared, Kind, SideView } from './comparison'
import { NodeLink } from './node-link'

const APPEARANCE: Record<Kind, { icon: LucideIcon; tone: Tone; className: string }> = {
  contradiction: { icon: GitCompareArrows, tone: 'warning', className: 'border-warning/50' },
  near_duplicate: { icon: CopyCheck, tone: 'info', className: '' },
  agreement: { icon: CircleCheckBig, tone: 'success', className: '' },
}

/** One finding, with the statements of the agents side by side. */
export function ComparisonCard({ runId, entry }: { runId: string; entry: Compared }) {
  const { icon: Icon, tone, className } = APPEARANCE[entry.kind]
  return (
    <Card aria-label={plain(`${entry.label}: ${entry.location}`)} className={cn('overflow-hidden', className)}>
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b bg-sunken/60 px-4 py-2">
        <h3 className="min-w-0 font-semibold [overflow-wrap:anywhere]">
          <code>{plain(entry.location)}</code>
        </h3>
        <Badge tone={tone}>
          <Icon aria-hidden /> {plain(entry.label)}
        </Badge>
      </header>
      <div className={cn('grid divide-line max-md:divide-y md:divide-x', COLUMNS[Math.min(entry.sides.length, 3)])}>
        {entry.sides.map((side, index) => (
          <Side key={index} runId={runId} side={side} />
        ))}
      </div>
    </Card>
  )
}

/** Complete class names, so that Tailwind finds them. A fourth side starts a new row. */
const COLUMNS = ['', '', 'md:grid-cols-2', 'md:grid-cols-2 xl:grid-cols-3']

function Side({ runId, side }: { runId: string; side: SideView }) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <NodeLink runId={runId} node={side.agent} />
        {side.value === null ? null : (
          <Badge tone={side.tone} className="max-w-full">
            <span className="truncate">{plain(side.value)}</span>
          </Badge>
        )}
      </div>
      {side.text === null ? <p className="text-muted">No text.</p> : <Marked parts={side.text} />}
      <p className="mt-auto flex flex-wrap gap-x-3 pt-1 text-[0.86rem] text-muted">
        {side.location === null ? null : <code className="[overflow-wrap:anywhere]">{plain(side.location)}</code>}
        <code title="Path in the output" className="[overflow-wrap:anywhere]">
          {plain(side.pointer)}
        </code>
      </p>
    </div>
  )
}

/** The maximum length of a side's text. The full text is in the node's output. */
const MAX_TEXT_LENGTH = 4_000

/** The text of a side, with the words marked that the other side lacks. */
function Marked({ parts }: { parts: Part[] }) {
  let remaining = MAX_TEXT_LENGTH
  return (
    <p dir="ltr" className="whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:isolate]">
      {parts.map((part, index) => {
        const text = part.text.slice(0, Math.max(0, remaining))
        remaining -= part.text.length
        return part.own ? (
          <mark key={index} className="rounded-sm bg-mark/60 text-ink">
            <Pieces text={text} />
          </mark>
        ) : (
          <Pieces key={index} text={text} />
        )
      })}
      {remaining < 0 ? ' …' : ''}
    </p>
  )
}
