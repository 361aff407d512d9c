/** A page that is one live list: how many there are, filters beside the heading, a table of any length. */
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
  /** Which list; the same object as long as it is the same list. */
  list: LiveList<T>
  columns: Column<T>[]
  /** Beside the heading: filters, and what can be begun. */
  actions: ReactNode
  /** In the place of an empty table. */
  nothing: ReactNode
}

export function LiveTablePage<T>({ title, list, columns, actions, nothing }: Props<T>) {
  const { query, items, hasMore, loadMore } = useLiveList(list)
  const [shown, setShown] = useState<Shown | null>(null)
  const { placeOf } = list
  const keyOf = useCallback((item: T) => placeOf(item).id, [placeOf])
  return (
    <Page title={title} fill lead={query.data ? leadOf(shown, items.length, query.data) : ' '} actions={actions}>
      <Card className="flex min-h-64 flex-1 flex-col overflow-hidden">
        <Answer query={query}>
          {() =>
            items.length === 0 && !hasMore ? (
              nothing
            ) : (
              <VirtualTable label={title} items={items} columns={columns} keyOf={keyOf} hasMore={hasMore} onEnd={loadMore} onShown={setShown} />
            )
          }
        </Answer>
      </Card>
    </Page>
  )
}

/** Which rows are in view, and of how many. The server counts up to a bound. */
export function leadOf(shown: Shown | null, loaded: number, { total, total_exact }: ListPage<unknown>): string {
  const all = `${exactCount(Math.max(total ?? 0, loaded))}${total_exact === false ? '+' : ''}`
  if (loaded === 0) return total_exact === false ? 'Searching older items…' : 'None'
  if (shown === null) return `${all} in total, newest first`
  return `${exactCount(shown.first + 1)}–${exactCount(Math.min(shown.last + 1, loaded))} of ${all}, newest first`
}
