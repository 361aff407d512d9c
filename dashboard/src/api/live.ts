/** Live updates: one connection for the whole dashboard, which makes queries stale as events come. */
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { observable, useObservable } from '@/lib/observable'
import { access } from './access'
import { type Connection, follow } from './sse'
import { type LiveEvent, readEvent, touchedBy } from './touched'

/** Stale queries are looked up again at most this often, however many events come. */
const FLUSH_MS = 400

export const connection = observable<Connection>('connecting')

type Watcher = (event: LiveEvent) => void
const watchers = new Set<Watcher>()

/**
 * Collects keys and makes them stale together. What is being looked up is left to end first: begun anew at every event, a slow
 * answer would never be shown, and the server would work on all of them.
 */
export function staleness(client: Pick<QueryClient, 'invalidateQueries' | 'isFetching'>) {
  const waiting = new Map<string, QueryKey>()
  let timer: ReturnType<typeof setTimeout> | null = null
  const flush = () => {
    timer = null
    for (const [name, queryKey] of [...waiting]) {
      if (client.isFetching({ queryKey }) > 0) continue
      waiting.delete(name)
      void client.invalidateQueries({ queryKey })
    }
    if (waiting.size > 0) timer = setTimeout(flush, FLUSH_MS)
  }
  return {
    add(keys: QueryKey[]) {
      for (const key of keys) waiting.set(JSON.stringify(key), key)
      if (waiting.size > 0) timer ??= setTimeout(flush, FLUSH_MS)
    },
    stop() {
      if (timer !== null) clearTimeout(timer)
    },
  }
}

/** Mounted once, at the root. Begins anew with another key. */
export function useLiveUpdates(): void {
  const client = useQueryClient()
  const { key, asked } = useObservable(access)
  useEffect(() => {
    if (asked !== null) return
    const stop = new AbortController()
    const stale = staleness(client)
    const listener = {
      frame(frame: { id: string; data: string }) {
        const event = readEvent(frame.id, frame.data)
        if (event === null) return
        for (const watcher of watchers) watcher(event)
        stale.add(touchedBy(event))
      },
      connection(state: Connection) {
        connection.set(state)
        // What happened before the first event that it saw was told to nobody; what came later is replayed.
        if (state === 'live') void client.invalidateQueries({}, { cancelRefetch: false })
      },
    }
    void follow('/events', listener, stop.signal)
    return () => {
      stop.abort()
      stale.stop()
    }
  }, [client, key, asked])
}

/** Hears each event as it comes; for what grows by them, such as a timeline. */
export function useEvents(watcher: Watcher): void {
  useEffect(() => {
    watchers.add(watcher)
    return () => {
      watchers.delete(watcher)
    }
  }, [watcher])
}
