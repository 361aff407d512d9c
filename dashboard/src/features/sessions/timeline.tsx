import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type SessionEvent, useSessionEvents } from '@/api/events'
import { Answer, Empty } from '@/components/states'
import { Card } from '@/components/ui'
import { startOfRunIn, timelineOf } from './model'
import { TimelineEntry } from './timeline-entry'

const ESTIMATED_HEIGHT = 44
const OVERSCAN = 10

/** The events of a session in order. Only visible entries are rendered. */
export function Timeline({ sessionId, runId }: { sessionId: string; runId: string }) {
  return (
    <Card className="flex min-h-0 flex-1 flex-col overflow-hidden">
      <Answer query={useSessionEvents(sessionId)}>{(events) => <Entries events={events} runId={runId} />}</Answer>
    </Card>
  )
}

function Entries({ events, runId }: { events: SessionEvent[]; runId: string }) {
  const entries = useMemo(() => timelineOf(events), [events])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_HEIGHT,
    getItemKey: (index) => entries[index]?.key ?? index,
    overscan: OVERSCAN,
  })
  // If the selected run resumed the session, scroll to its first event.
  const start = startOfRunIn(events, runId)
  const startIndex = start === null ? -1 : entries.findIndex((entry) => entry.key === start)
  useEffect(() => {
    if (startIndex > 0) virtual.scrollToIndex(startIndex, { align: 'start' })
    // Only once per run; later events must not scroll.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [startIndex])
  const startedAt = entries[0]?.at
  // Kept here, because entries are unmounted when they are scrolled out of view.
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set())
  const toggle = (key: string) =>
    setExpanded((before) => {
      const after = new Set(before)
      if (!after.delete(key)) after.add(key)
      return after
    })
  if (entries.length === 0) return <Empty title="No events yet" />
  return (
    <div ref={scroller} tabIndex={0} role="feed" aria-label="Timeline" className="min-h-0 flex-1 overflow-y-auto">
      <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((row) => {
          const entry = entries[row.index]
          if (entry === undefined) return null
          return (
            <div
              key={row.key}
              ref={virtual.measureElement}
              data-index={row.index}
              className="absolute inset-x-0 top-0 border-b"
              style={{ transform: `translateY(${row.start}px)` }}
            >
              <article aria-posinset={row.index + 1} aria-setsize={entries.length} className="flex gap-3 px-4 py-2">
                <TimelineEntry
                  entry={entry}
                  startedAt={startedAt ?? entry.at}
                  expanded={expanded.has(entry.key)}
                  onToggle={() => toggle(entry.key)}
                />
              </article>
            </div>
          )
        })}
      </div>
    </div>
  )
}
