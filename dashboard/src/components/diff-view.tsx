import { useMemo } from 'react'
import { cn } from '@/lib/cn'
import { type DiffLine, diffLines } from '@/lib/diff'
import { plain } from '@/lib/inert'
import { pretty } from '@/lib/json-text'

/** Longer lines are cut here: the whole text is one tab away. */
const LONGEST_LINE = 2_000
/** Lines around a change. */
const CONTEXT = 3

const LOOK = {
  same: { sign: ' ', className: 'text-muted', label: '' },
  removed: { sign: '−', className: 'bg-danger-soft text-danger', label: 'removed: ' },
  added: { sign: '+', className: 'bg-success-soft text-success', label: 'added: ' },
}

/** What one text has and the next has not. */
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
          <div key={index} className={cn('px-3 whitespace-pre-wrap [overflow-wrap:anywhere]', LOOK[line.kind].className)}>
            <span aria-hidden className="select-none">
              {LOOK[line.kind].sign}{' '}
            </span>
            <span className="sr-only">{LOOK[line.kind].label}</span>
            {plain(line.text.slice(0, LONGEST_LINE))}
            {line.text.length > LONGEST_LINE ? ' …' : ''}
          </div>
        ),
      )}
    </pre>
  )
}

/** Changes with a few lines around them; null where lines are left out. */
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
