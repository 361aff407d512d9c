/**
 * A live list that can grow to tens of thousands of items. Events only invalidate its first page; older pages are loaded on
 * scrolling, and their items are refreshed one at a time.
 */
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { type ListPage, type ListPosition, hasGap, mergePages } from '@/lib/merge'
import { useEvents } from './live'
import type { LiveEvent } from './touched'

/** Several times the number of rows that fit on a screen. */
const FIRST_PAGE = 100
/** Older pages are larger, so that scrolling needs few requests. */
const OLDER_PAGE = 500

/** Events that change a status. Other events, such as messages, do not change a list. */
const STATES = /^(run|workflow)\./

export interface LiveList<T> {
  firstKey: readonly unknown[]
  pagesKey: readonly unknown[]
  fetchPage: (limit: number, cursor?: string) => Promise<ListPage<T>>
  fetchOne: (id: string) => Promise<Partial<T>>
  positionOf: (item: T) => ListPosition
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
    () => (first.data === undefined ? [] : mergePages(first.data, pages, list.positionOf)),
    [first.data, pages, list.positionOf],
  )
  const gap = first.data !== undefined && hasGap(first.data, pages, list.positionOf)
  useEffect(() => {
    if (gap) void client.resetQueries({ queryKey: list.pagesKey })
  }, [gap, client, list.pagesKey])

  useItemRefresh(list, pages)
  const hasMore = Boolean(first.data?.next_cursor) && (older.data === undefined || older.hasNextPage)
  const loadMore = useCallback(() => {
    if (!older.isFetching) void older.fetchNextPage()
  }, [older])
  return { query: first, items, hasMore, loadMore, loadingMore: older.isFetchingNextPage || older.isFetching }
}

/** Refetches an item of an older page when an event changes its status. */
function useItemRefresh<T>(list: LiveList<T>, pages: ListPage<T>[]): void {
  const client = useQueryClient()
  const known = useMemo(
    () => new Set(pages.flatMap((page) => page.items.map((item) => list.positionOf(item).id))),
    [pages, list],
  )
  const refresh = useCallback(
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
                // Fields that only the list returns are kept; they do not change.
                items: page.items.map((item) => (list.positionOf(item).id === id ? { ...item, ...fresh } : item)),
              })),
            },
          ),
        // Keep the old item; the page reports errors of its own queries.
        () => undefined,
      )
    },
    [client, known, list],
  )
  useEvents(refresh)
}
