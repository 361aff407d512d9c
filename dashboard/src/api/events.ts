/** What happened in a session, all of it. Only what has come since is asked for, however often an event makes it stale. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { follow, indented, readJson } from '@/lib/json-text'
import { text } from './client'
import { queryKeys } from './keys'
import type { EventView } from './schema'

/** An event, and with it the value that it brings as it was written: JavaScript rounds numbers and moves members. */
export type Happened = EventView & { written: string | null }

/** The members of events that hold what a model wrote. */
const VALUES = ['arguments', 'result_data']

interface EventPage {
  items: EventView[]
  next_cursor?: string | null
}

/** A page of events. Pure. */
export function readEvents(answer: string): { items: Happened[]; next: boolean } {
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

/** The largest page that the server gives. */
const PAGE = 500

/** Events from a place on, all of them. The cursor is the id of the last event that is known. */
async function fetchEvents(sessionId: string, known: Happened[]): Promise<Happened[]> {
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
    queryFn: () => fetchEvents(sessionId, client.getQueryData<Happened[]>(queryKey) ?? []),
    // Comparing thousands of events with themselves would take longer than drawing them.
    structuralSharing: false,
  })
}
