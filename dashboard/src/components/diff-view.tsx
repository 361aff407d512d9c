import { useMemo } from 'react'
import { cn } from '@/lib/cn'
import { type DiffLine, diffLines } from '@/lib/diff'
import { plain } from '@/lib/inert'
import { pretty } from '@/lib/json-text'

/** Longer lines are truncated; the full text is in another tab. */
const MAX_LINE_LENGTH = 2_000
/** The number of unchanged lines around a change. */
const CONTEXT = 3

const APPEARANCE = {
  same: { sign: ' ', className: 'text-muted', label: '' },
  removed: { sign: '−', className: 'bg-danger-soft text-danger', label: 'removed: ' },
  added: { sign: '+', className: 'bg-success-soft text-success', label: 'added: ' },
}

/** A line diff of two texts. */
export function DiffView({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => diffLines(pretty(before), pretty(after)), [before, after])
  if (lines === null) return <p className="text-muted">Too long to compare line by line.</p>
  if (lines.every((line) => line.kind === 'same')) return <p className="text-muted">No changes: both answers are the same.</p>
  return (
    <pre dir="ltr" className="overflow-x-auto rounded-md border bg-sunken py-2 [unicode-bidi:isolate]">
      {excerpts(lines).map((line, index) =>
        line === null ? (
          <div key={index} className="px-3 text-faint">
            ⋯
          </div>
        ) : (
          <div key={index} className={cn('px-3 whitespace-pre-wrap [overflow-wrap:anywhere]', APPEARANCE[line.kind].className)}>
            <span aria-hidden className="select-none">
              {APPEARANCE[line.kind].sign}{' '}
            </span>
            <span className="sr-only">{APPEARANCE[line.kind].label}</span>
            {plain(line.text.slice(0, MAX_LINE_LENGTH))}
            {line.text.length > MAX_LINE_LENGTH ? ' …' : ''}
          </div>
        ),
      )}
    </pre>
  )
}

/** Changed lines with some context; null marks omitted lines. */
function excerpts(lines: DiffLine[]): (DiffLine | null)[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((line) => line.kind !== 'same'),
  )
  const shown: (DiffLine | null)[] = []
  for (const [index, line] of lines.entries()) {
    if (near[index]) shown.push(line)
    else if (shown.at(-1) !== null) shown.push(null)
  }
  return shown
}
