import type { ReactNode } from 'react'
import type { Api } from '@/api'
import { useSessionEvents } from '@/api/events'
import { InertText } from '@/components/inert-text'
import { Badge, Card, CardHeader, StatusBadge } from '@/components/ui'
import { exactCount } from '@/lib/format'
import { plain } from '@/lib/inert'
import { repeated } from '@/lib/repeated'

/** As many as one looks at beside a form; the session's page has all. */
const LATEST = 500

/** What happens in a run, as it happens. */
export function Happenings({ run, session }: { run: string; session: string }) {
  const { data = [] } = useSessionEvents(session)
  const all = data.filter((event) => event.run_id === run)
  const entries = all.slice(-LATEST).flatMap((event) => {
    const said = inWords(event)
    return said === null ? [] : [{ key: String(event.id), said }]
  })
  if (entries.length === 0) return null
  return (
    <Card aria-labelledby="tried-events">
      <CardHeader title="Live output" id="tried-events" />
      <ol
        tabIndex={0}
        aria-label="Live output"
        className="flex max-h-96 flex-col gap-2 overflow-auto px-4 py-3"
      >
        {all.length > LATEST ? (
          <li>
            <Line>The first {exactCount(all.length - LATEST)} are left out here; the session has all.</Line>
          </li>
        ) : null}
        {entries.map(({ key, said }) => (
          <li key={key} className="min-w-0">
            {said}
          </li>
        ))}
      </ol>
    </Card>
  )
}

function inWords(event: Api.EventView): ReactNode {
  switch (event.type) {
    case 'run.queued':
      return <Line>{event.reason ? `Queued again: ${plain(event.reason)}` : 'Queued'}</Line>
    case 'run.claimed':
      return <Line>Taken by a runner</Line>
    case 'run.started':
      return <Line>The work began</Line>
    case 'message':
      return (
        <>
          <Badge tone={event.role === 'assistant' ? 'info' : 'neutral'}>{event.role === 'assistant' ? 'model' : plain(event.role)}</Badge>
          <InertText text={event.text} className="mt-1" />
        </>
      )
    case 'tool.started':
      return <Line>Tool {plain(event.name)} is used</Line>
    case 'tool.finished':
      return <Line>Tool {plain(event.name)} {event.ok ? 'is done' : 'failed'}</Line>
    case 'request.repeated':
      return <Line>Asks again: {plain(repeated(event))}</Line>
    case 'attempt.judged':
      return (
        <span className="flex items-center gap-2 text-muted">
          Attempt {event.attempt.number} judged: <StatusBadge status={event.attempt.outcome} />
        </span>
      )
    case 'run.completed':
      return <Line>Completed</Line>
    case 'run.failed':
      return <Line>Failed: {plain(event.error.message)}</Line>
    case 'run.stopped':
      return <Line>Stopped</Line>
    default:
      return null
  }
}

function Line({ children }: { children: ReactNode }) {
  return <span className="break-words text-muted">{children}</span>
}
