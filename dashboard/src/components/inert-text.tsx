import { Fragment, useEffect, useRef, useState } from 'react'
import { cn } from '@/lib/cn'
import { bytes } from '@/lib/format'
import { segmentsOf, windowOf } from '@/lib/inert'
import type { Span } from '@/lib/json-text'
import { Button } from './ui'

/** The number of characters shown at first, about ten screens. */
const INITIAL_LENGTH = 20_000
/** The number of characters added with each "Show more". A browser lays this out in less than 0.1 s. */
const MORE = 100_000

interface Props {
  text: string
  /** The span to highlight and scroll into view. */
  lit?: Span | null
  /** Other spans to highlight, in any order. */
  marks?: readonly Span[]
  className?: string
}

/** Untrusted text: never rendered as markup, isolated in direction, with invisible characters named and long texts truncated. */
export function InertText({ text, lit = null, marks = [], className }: Props) {
  const [extra, setExtra] = useState({ before: 0, after: 0 })
  const mark = useRef<HTMLElement>(null)
  const target = lit ?? marks[0] ?? null
  useEffect(() => {
    if (lit !== null) mark.current?.scrollIntoView({ block: 'nearest' })
  }, [lit, text])
  const first = windowOf(text.length, INITIAL_LENGTH, target)
  const from = Math.max(0, first.from - extra.before)
  const to = Math.min(text.length, first.to + extra.after)
  const spans = spansWithin(lit === null ? marks : [lit], from, to)
  return (
    <div className={cn('min-w-0', className)}>
      <More hidden={from} onClick={() => setExtra({ ...extra, before: extra.before + MORE })} where="before" />
      <pre dir="ltr" className="break-words whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:isolate]">
        {spans.map(({ start, end }, index) => (
          <Fragment key={index}>
            <Pieces text={text.slice(spans[index - 1]?.end ?? from, start)} />
            <mark ref={index === 0 ? mark : undefined} className="rounded-sm bg-mark text-mark-ink">
              <Pieces text={text.slice(start, end)} />
            </mark>
          </Fragment>
        ))}
        <Pieces text={text.slice(spans.at(-1)?.end ?? from, to)} />
      </pre>
      <More hidden={text.length - to} onClick={() => setExtra({ ...extra, after: extra.after + MORE })} where="after" />
    </div>
  )
}

/** Clips the spans to the shown part, sorted and without overlaps. */
function spansWithin(spans: readonly Span[], from: number, to: number): Span[] {
  const shown: Span[] = []
  for (const span of [...spans].sort((left, right) => left.start - right.start || left.end - right.end)) {
    const start = Math.max(span.start, from, shown.at(-1)?.end ?? 0)
    const end = Math.min(span.end, to)
    if (end > start) shown.push({ start, end })
  }
  return shown
}

/** A part of an untrusted text, for callers that do their own highlighting. */
export function Pieces({ text }: { text: string }) {
  return segmentsOf(text).map((segment, index) =>
    segment.kind === 'text' ? (
      segment.text
    ) : (
      <span key={index} title={segment.name} className="mx-px rounded bg-warning-soft px-1 text-[0.8em] text-warning">
        {segment.text}
      </span>
    ),
  )
}

function More({ hidden, onClick, where }: { hidden: number; onClick: () => void; where: 'before' | 'after' }) {
  if (hidden === 0) return null
  return (
    <Button size="small" className="my-1" onClick={onClick}>
      Show more {where === 'before' ? 'before this' : ''} ({bytes(hidden)} hidden)
    </Button>
  )
}
