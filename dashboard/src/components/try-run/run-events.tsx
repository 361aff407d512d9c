import { LoaderCircle } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import type { Api } from '@/api'
import { useSessionEvents } from '@/api/events'
import { InertText } from '@/components/inert-text'
import { Elapsed } from '@/components/time'
import { Badge, Card, CardHeader, StatusBadge } from '@/components/ui'
import { exactCount } from '@/lib/format'
import { plain } from '@/lib/inert'
import { repeated } from '@/lib/repeated'

/** The number of events shown here; the session page shows all. */
const MAX_SHOWN = 500
/** Within this distance from the end, the view follows the newest event. */
const NEAR_END_PX = 80

/** The events of a run, live. */
export function RunEvents({ run: { run_id: run, session_id: session, status, started_at: started } }: { run: Api.RunView }) {
  const { data = [] } = useSessionEvents(session)
  const all = data.filter((event) => event.run_id === run && event.type !== 'output.delta')
  const entries = all.slice(-MAX_SHOWN).flatMap((event) => {
    const content = contentOf(event)
    return content === null ? [] : [{ key: String(event.id), content }]
  })
  const list = useRef<HTMLOListElement>(null)
  const newest = entries.at(-1)?.key
  // Keep the newest line visible unless the user has scrolled up.
  useLayoutEffect(() => {
    const element = list.current
    if (element !== null && element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX) element.scrollTop = element.scrollHeight
  }, [newest])
  if (entries.length === 0) return null
  return (
    <Card aria-labelledby="tried-events">
      <CardHeader title="Events" id="tried-events" />
      <ol
        ref={list}
        tabIndex={0}
        aria-label="Events"
        className="flex max-h-96 flex-col gap-2 overflow-auto px-4 py-3"
      >
        {all.length > MAX_SHOWN ? (
          <li>
            <Line>The first {exactCount(all.length - MAX_SHOWN)} events are not shown here; the session has all of them.</Line>
          </li>
        ) : null}
        {entries.map(({ key, content }) => (
          <li key={key} className="min-w-0">
            {content}
          </li>
        ))}
        {status === 'running' ? (
          <li className="flex items-center gap-2 text-muted">
            <LoaderCircle aria-hidden className="size-4 animate-spin" /> {waitingFor(all.at(-1))} · <Elapsed from={all.at(-1)?.at ?? started} to={null} />
          </li>
        ) : null}
      </ol>
    </Card>
  )
}

/** What a run waits for after its latest event. */
function waitingFor(event: Api.EventView | undefined): string {
  if (event?.type === 'tool.started') return `Running tool ${plain(event.name)}`
  if (event?.type === 'request.repeated') return 'Retrying the request'
  return 'Waiting for an answer'
}

function contentOf(event: Api.EventView): ReactNode {
  switch (event.type) {
    case 'run.queued':
      return <Line>{event.reason ? `Queued again: ${plain(event.reason)}` : 'Queued'}</Line>
    case 'run.claimed':
      return <Line>Claimed by a runner</Line>
    case 'run.started':
      return <Line>Started</Line>
    case 'message':
      return (
        <>
          <Badge tone={event.role === 'assistant' ? 'info' : 'neutral'}>{event.role === 'assistant' ? 'model' : plain(event.role)}</Badge>
          <InertText text={event.text} className="mt-1" />
        </>
      )
    case 'tool.started':
      return <Line>Tool {plain(event.name)} started</Line>
    case 'tool.finished':
      return <Line>Tool {plain(event.name)} {event.ok ? 'finished' : 'failed'}</Line>
    case 'request.repeated':
      return <Line>Request repeated: {plain(repeated(event))}</Line>
    case 'attempt.judged':
      return (
        <span className="flex items-center gap-2 text-muted">
          Attempt {event.attempt.number}: <StatusBadge status={event.attempt.outcome} />
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
