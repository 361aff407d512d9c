/**
 * A list that can grow to tens of thousands and is live. Events make only its first page stale; older pages are loaded
 * when somebody scrolls there and are mended one item at a time.
 */
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { type ListPage, hasGap, joined, type Place } from '@/lib/merge'
import { useEvents } from './live'
import type { LiveEvent } from './touched'

/** One look at the first page covers what a screen shows, many times. */
const FIRST_PAGE = 100
/** Older pages are larger: they are asked for while somebody scrolls. */
const OLDER_PAGE = 500

/** Events that tell of a state; what is said in between changes nothing in a list. */
const STATES = /^(run|workflow)\./

export interface LiveList<T> {
  firstKey: readonly unknown[]
  pagesKey: readonly unknown[]
  fetchPage: (limit: number, cursor?: string) => Promise<ListPage<T>>
  fetchOne: (id: string) => Promise<Partial<T>>
  placeOf: (item: T) => Place
  /** Which item an event is about. */
  idOf: (event: LiveEvent) => string | null
}

export function useLiveList<T>(list: LiveList<T>) {
  const client = useQueryClient()
  const first = useQuery({ queryKey: list.firstKey, queryFn: () => list.fetchPage(FIRST_PAGE) })
  const older = useInfiniteQuery({
    queryKey: list.pagesKey,
    queryFn: ({ pageParam }) => list.fetchPage(OLDER_PAGE, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    enabled: false,
  })
  const pages = useMemo(() => older.data?.pages ?? [], [older.data])
  const items = useMemo(
    () => (first.data === undefined ? [] : joined(first.data, pages, list.placeOf)),
    [first.data, pages, list.placeOf],
  )
  const gap = first.data !== undefined && hasGap(first.data, pages, list.placeOf)
  useEffect(() => {
    if (gap) void client.resetQueries({ queryKey: list.pagesKey })
  }, [gap, client, list.pagesKey])

  useMending(list, pages)
  const hasMore = Boolean(first.data?.next_cursor) && (older.data === undefined || older.hasNextPage)
  const loadMore = useCallback(() => {
    if (!older.isFetching) void older.fetchNextPage()
  }, [older])
  return { query: first, items, hasMore, loadMore, loadingMore: older.isFetchingNextPage || older.isFetching }
}

/** Items of older pages are fetched again one by one when something happens to them. */
function useMending<T>(list: LiveList<T>, pages: ListPage<T>[]): void {
  const client = useQueryClient()
  const known = useMemo(
    () => new Set(pages.flatMap((page) => page.items.map((item) => list.placeOf(item).id))),
    [pages, list],
  )
  const mend = useCallback(
    (event: LiveEvent) => {
      const id = list.idOf(event)
      if (id === null || !known.has(id) || !STATES.test(event.type)) return
      list.fetchOne(id).then(
        (fresh) =>
          client.setQueryData<InfiniteData<ListPage<T>>>(list.pagesKey, (data) =>
            data && {
              ...data,
              pages: data.pages.map((page) => ({
                ...page,
                // What only lists have of it does not change.
                items: page.items.map((item) => (list.placeOf(item).id === id ? { ...item, ...fresh } : item)),
              })),
            },
          ),
        // It stays as it was seen last; the page shows the failure of its own queries.
        () => undefined,
      )
    },
    [client, known, list],
  )
  useEvents(mend)
}
