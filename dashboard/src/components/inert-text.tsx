import { useEffect, useRef, useState } from 'react'
import { cn } from '@/lib/cn'
import { bytes } from '@/lib/format'
import { segmentsOf, windowOf } from '@/lib/inert'
import type { Span } from '@/lib/json-text'
import { Button } from './ui'

/** Shown at once; a screen holds a tenth of it. */
const AT_FIRST = 20_000
/** Shown with each "more"; laying this out takes a browser less than a tenth of a second. */
const MORE = 100_000

interface Props {
  text: string
  /** The place to light up and to bring into view. */
  lit?: Span | null
  className?: string
}

/** A text that somebody else wrote: never markup, direction isolated, what cannot be seen is named, long ones are cut. */
export function InertText({ text, lit = null, className }: Props) {
  const [extra, setExtra] = useState({ before: 0, after: 0 })
  const mark = useRef<HTMLElement>(null)
  useEffect(() => {
    mark.current?.scrollIntoView({ block: 'nearest' })
  }, [lit?.start, lit?.end, text])
  const first = windowOf(text.length, AT_FIRST, lit)
  const from = Math.max(0, first.from - extra.before)
  const to = Math.min(text.length, first.to + extra.after)
  const start = lit === null ? to : Math.min(Math.max(lit.start, from), to)
  const end = lit === null ? to : Math.min(Math.max(lit.end, start), to)
  return (
    <div className={cn('min-w-0', className)}>
      <More hidden={from} onClick={() => setExtra({ ...extra, before: extra.before + MORE })} where="before" />
      <pre dir="ltr" className="break-words whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:isolate]">
        <Pieces text={text.slice(from, start)} />
        {end > start ? (
          <mark ref={mark} className="rounded-sm bg-mark text-mark-ink">
            <Pieces text={text.slice(start, end)} />
          </mark>
        ) : null}
        <Pieces text={text.slice(end, to)} />
      </pre>
      <More hidden={text.length - to} onClick={() => setExtra({ ...extra, after: extra.after + MORE })} where="after" />
    </div>
  )
}

/** A part of a text that somebody else wrote, for those who mark parts of their own. */
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
