/** A page with one live list: its count, filters next to the heading, and a virtual table. */
import { type ReactNode, useCallback, useState } from 'react'
import { type LiveList, useLiveList } from '@/api/live-list'
import { exactCount } from '@/lib/format'
import type { ListPage } from '@/lib/merge'
import { Page } from './page'
import { Answer } from './states'
import { Card } from './ui'
import { type Column, type Shown, VirtualTable } from './virtual-table'

interface Props<T> {
  title: string
  /** The list. Must be the same object between renders while its filters are the same. */
  list: LiveList<T>
  columns: Column<T>[]
  /** Next to the heading: filters and buttons. */
  actions: ReactNode
  /** Shown instead of an empty table. */
  empty: ReactNode
}

export function LiveTablePage<T>({ title, list, columns, actions, empty }: Props<T>) {
  const { query, items, hasMore, loadMore } = useLiveList(list)
  const [shown, setShown] = useState<Shown | null>(null)
  const { positionOf } = list
  const keyOf = useCallback((item: T) => positionOf(item).id, [positionOf])
  return (
    <Page title={title} fill lead={query.data ? leadOf(shown, items.length, query.data) : ' '} actions={actions}>
      <Card className="flex min-h-64 flex-1 flex-col overflow-hidden">
        <Answer query={query}>
          {() =>
            items.length === 0 && !hasMore ? (
              empty
            ) : (
              <VirtualTable label={title} items={items} columns={columns} keyOf={keyOf} hasMore={hasMore} onEnd={loadMore} onShown={setShown} />
            )
          }
        </Answer>
      </Card>
    </Page>
  )
}

/** The visible rows and the total. The server only counts up to a limit. */
export function leadOf(shown: Shown | null, loaded: number, { total, total_exact }: ListPage<unknown>): string {
  const all = `${exactCount(Math.max(total ?? 0, loaded))}${total_exact === false ? '+' : ''}`
  if (loaded === 0) return total_exact === false ? 'Searching older items…' : 'None'
  if (shown === null) return `${all} in total, newest first`
  return `${exactCount(shown.first + 1)}–${exactCount(Math.min(shown.last + 1, loaded))} of ${all}, newest first`
}
