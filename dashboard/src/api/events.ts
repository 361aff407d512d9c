/** All events of a session. A refetch only requests the events that are new. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { follow, indented, readJson } from '@/lib/json-text'
import { text } from './client'
import { queryKeys } from './keys'
import type { EventView } from './schema'

/** An event with the source text of its value, because JSON.parse rounds numbers and reorders members. */
export type SessionEvent = EventView & { written: string | null }

/** The event fields that hold values written by a model. */
const VALUES = ['arguments', 'result_data']

interface EventPage {
  items: EventView[]
  next_cursor?: string | null
}

/** Parses a page of events. */
export function readEvents(answer: string): { items: SessionEvent[]; next: boolean } {
  const page = JSON.parse(answer) as EventPage
  const { node } = readJson(answer)
  const items = page.items.map((event, index) => {
    const found = VALUES.flatMap((name) => {
      const { node: value, depth } = node ? follow(node, ['items', String(index), name]) : { node: null, depth: 0 }
      return value !== null && depth === 3 && value.kind !== 'null' ? [indented(answer, value)] : []
    })
    return { ...event, written: found[0] ?? null }
  })
  return { items, next: Boolean(page.next_cursor) && items.length > 0 }
}

/** The largest page size that the server allows. */
const PAGE = 500

/** Adds all events after the known ones. The cursor is the id of the last known event. */
async function fetchEvents(sessionId: string, known: SessionEvent[]): Promise<SessionEvent[]> {
  const events = [...known]
  for (;;) {
    const last = events.at(-1)
    const cursor = last === undefined ? '' : `&cursor=${encodeURIComponent(String(last.id))}`
    const { items, next } = readEvents(await text(`/sessions/${encodeURIComponent(sessionId)}/events?limit=${PAGE}${cursor}`))
    events.push(...items)
    if (!next) return events
  }
}

export function useSessionEvents(sessionId: string) {
  const client = useQueryClient()
  const queryKey = queryKeys.sessions.events(sessionId)
  return useQuery({
    queryKey,
    queryFn: () => fetchEvents(sessionId, client.getQueryData<SessionEvent[]>(queryKey) ?? []),
    // Comparing thousands of events takes longer than rendering them.
    structuralSharing: false,
  })
}
