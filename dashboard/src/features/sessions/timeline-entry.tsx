import { Link, getRouteApi } from '@tanstack/react-router'
import { ChevronRight, Circle, FileCheck2, MessageSquare, UserRound, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import { InertText } from '@/components/inert-text'
import { Badge, Button, StatusBadge } from '@/components/ui'
import { cn } from '@/lib/cn'
import { count, duration, moment, plural } from '@/lib/format'
import { plain } from '@/lib/inert'
import { isExtracted } from '@/lib/run-facts'
import type { Tone } from '@/lib/status'
import { type Entry, attemptId } from './model'

const DOTS: Record<Tone, string> = {
  neutral: 'text-faint',
  info: 'text-info',
  success: 'text-success',
  warning: 'text-warning',
  danger: 'text-danger',
}

interface Expansion {
  /** Whether the user expanded the entry. */
  expanded: boolean
  onToggle: () => void
}

export function TimelineEntry({ entry, startedAt, ...expansion }: { entry: Entry; startedAt: string } & Expansion) {
  const offset = Math.max(0, Date.parse(entry.at) - Date.parse(startedAt))
  return (
    <>
      <time
        dateTime={entry.at}
        title={moment(entry.at)}
        className="w-24 shrink-0 pt-px text-right text-[0.93rem] whitespace-nowrap text-faint tabular-nums max-sm:hidden"
      >
        +{duration(offset)}
      </time>
      <Body entry={entry} expansion={expansion} />
    </>
  )
}

function Body({ entry, expansion }: { entry: Entry; expansion: Expansion }) {
  switch (entry.kind) {
    case 'state':
      return (
        <Line icon={<Circle aria-hidden className={cn('size-2.5 fill-current', DOTS[entry.tone])} />}>
          <span className="font-medium">{entry.label}</span>
          {entry.detail ? <span className="ml-2 text-muted [overflow-wrap:anywhere]">{plain(entry.detail)}</span> : null}
        </Line>
      )
    case 'message': {
      const Icon = entry.role === 'user' ? UserRound : MessageSquare
      return (
        <Line icon={<Icon aria-hidden className="size-4 text-muted" />}>
          <TextEntry label={entry.role === 'user' ? 'User' : 'Model'} text={entry.text} {...expansion} />
        </Line>
      )
    }
    case 'tool':
      return (
        <Line icon={<Wrench aria-hidden className="size-4 text-muted" />}>
          <Tool entry={entry} {...expansion} />
        </Line>
      )
    case 'attempt':
      return <Attempt entry={entry} />
    case 'result':
      return (
        <Line icon={<FileCheck2 aria-hidden className="size-4 text-success" />}>
          <TextEntry label="Result" text={entry.text} {...expansion} />
        </Line>
      )
  }
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <>
      <span className="flex h-5 w-4 shrink-0 items-center justify-center">{icon}</span>
      <div className="min-w-0 flex-1">{children}</div>
    </>
  )
}

/** Longer texts are collapsed. */
const COLLAPSED_LENGTH = 280

function TextEntry({ label, text, expanded, onToggle }: { label: string; text: string } & Expansion) {
  const long = text.length > COLLAPSED_LENGTH || text.split('\n').length > 5
  const open = expanded || !long
  return (
    <>
      <div className="flex items-center gap-2">
        <span className="font-medium">{label}</span>
        {long ? <ExpandButton open={open} onClick={onToggle} what={label} /> : null}
      </div>
      {open ? (
        <InertText text={text} className="mt-1 text-muted" />
      ) : (
        <p className="truncate font-mono text-[0.93rem] text-muted">{plain(text.slice(0, COLLAPSED_LENGTH))}</p>
      )}
    </>
  )
}

function ExpandButton({ open, onClick, what }: { open: boolean; onClick: () => void; what: string }) {
  return (
    <Button variant="ghost" size="small" className="h-5 px-1" aria-expanded={open} onClick={onClick}>
      <ChevronRight aria-hidden className={cn('transition-transform', open && 'rotate-90')} />
      {open ? 'Less' : 'More'}
      <span className="sr-only"> of {what}</span>
    </Button>
  )
}

function Tool({ entry, expanded: open, onToggle }: { entry: Extract<Entry, { kind: 'tool' }> } & Expansion) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">
          Tool <code>{plain(entry.name)}</code>
        </span>
        {entry.ok === null ? <Badge tone="info">running</Badge> : null}
        {entry.ok === false ? <Badge tone="danger">failed</Badge> : null}
        <ExpandButton open={open} onClick={onToggle} what={entry.name} />
      </div>
      {open ? (
        <div className="mt-1 flex flex-col gap-2 text-muted">
          {entry.arguments ? <InertText text={entry.arguments} /> : null}
          {entry.output === null ? null : <InertText text={entry.output} className="border-l-2 pl-3" />}
        </div>
      ) : null}
    </>
  )
}

const route = getRouteApi('/sessions/$sessionId')

function Attempt({ entry }: { entry: Extract<Entry, { kind: 'attempt' }> }) {
  const { attempt, run } = entry
  const { sessionId } = route.useParams()
  return (
    <Line icon={<Circle aria-hidden className="size-2.5 text-accent" />}>
      <div className="flex flex-wrap items-center gap-2">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId }}
          search={{ view: 'attempts', attempt: attemptId(attempt), run: run ?? undefined }}
          className="font-medium text-accent hover:underline"
        >
          Attempt {attempt.number}
        </Link>
        <StatusBadge status={attempt.outcome} />
        <span className="text-muted">
          {attempt.strategy} · {attempt.model || 'no model'} · {duration(attempt.duration_ms)} ·{' '}
          {count(attempt.usage?.output_tokens ?? 0)} output tokens
        </span>
        {isExtracted(attempt.source) ? <Badge tone="warning">source: {attempt.source}</Badge> : null}
        {attempt.repairs && attempt.repairs.length > 0 ? (
          <Badge tone="warning">{plural(attempt.repairs.length, 'repair')}</Badge>
        ) : null}
      </div>
      {attempt.errors && attempt.errors.length > 0 ? (
        <ul className="mt-1 text-danger">
          {attempt.errors.map((error, index) => (
            <li key={index} className="[overflow-wrap:anywhere]">
              <code>{plain(error.path)}</code>: {plain(error.message)}
            </li>
          ))}
        </ul>
      ) : null}
    </Line>
  )
}
