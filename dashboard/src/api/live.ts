/** Live updates: one event stream for the whole dashboard that invalidates queries. */
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { observable, useObservable } from '@/lib/observable'
import { access } from './access'
import { type Connection, follow } from './sse'
import { type LiveEvent, readEvent, touchedBy } from './touched'

/** Queries are invalidated at most this often, however many events arrive. */
const FLUSH_MS = 400

export const connection = observable<Connection>('connecting')

type Watcher = (event: LiveEvent) => void
const watchers = new Set<Watcher>()

/**
 * Collects query keys and invalidates them together. A query that is being fetched is invalidated only after it has finished:
 * restarting it at every event would mean that a slow response is never shown.
 */
export function invalidator(client: Pick<QueryClient, 'invalidateQueries' | 'isFetching'>) {
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

/** Mounted once, at the root. Reconnects when the key changes. */
export function useLiveUpdates(): void {
  const client = useQueryClient()
  const { key, loginReason } = useObservable(access)
  useEffect(() => {
    if (loginReason !== null) return
    const stop = new AbortController()
    const stale = invalidator(client)
    const listener = {
      frame(frame: { id: string; data: string }) {
        const event = readEvent(frame.id, frame.data)
        if (event === null) return
        for (const watcher of watchers) watcher(event)
        stale.add(touchedBy(event))
      },
      connection(state: Connection) {
        connection.set(state)
        // Changes before the first event of a connection are not replayed, so refetch everything.
        if (state === 'live') void client.invalidateQueries({}, { cancelRefetch: false })
      },
    }
    void follow('/events', listener, stop.signal)
    return () => {
      stop.abort()
      stale.stop()
    }
  }, [client, key, loginReason])
}

/** Calls `watcher` for each event. */
export function useEvents(watcher: Watcher): void {
  useEffect(() => {
    watchers.add(watcher)
    return () => {
      watchers.delete(watcher)
    }
  }, [watcher])
}
