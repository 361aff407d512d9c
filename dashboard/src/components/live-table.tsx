/** A page that is one live list: how many there are, filters beside the heading, a table of any length. */
import { type ReactNode, useCallback } from 'react'
import { type LiveList, useLiveList } from '@/api/live-list'
import { exactCount } from '@/lib/format'
import { Page } from './page'
import { Answer } from './states'
import { Card } from './ui'
import { type Column, VirtualTable } from './virtual-table'

interface Props<T> {
  title: string
  /** Which list; the same object as long as it is the same list. */
  list: LiveList<T>
  columns: Column<T>[]
  /** Whether the list is only a part of all. */
  filtered: boolean
  /** Beside the heading: filters, and what can be begun. */
  actions: ReactNode
  /** In the place of an empty table. */
  nothing: ReactNode
}

export function LiveTablePage<T>({ title, list, columns, filtered, actions, nothing }: Props<T>) {
  const { query, items, hasMore, loadMore } = useLiveList(list)
  const { placeOf } = list
  const keyOf = useCallback((item: T) => placeOf(item).id, [placeOf])
  return (
    <Page
      title={title}
      fill
      lead={query.data ? `${exactCount(items.length)}${hasMore ? '+' : ''} ${filtered ? 'match' : 'in all'}, newest first` : ' '}
      actions={actions}
    >
      <Card className="flex min-h-64 flex-1 flex-col overflow-hidden">
        <Answer query={query}>
          {() =>
            items.length === 0 ? (
              nothing
            ) : (
              <VirtualTable label={title} items={items} columns={columns} keyOf={keyOf} hasMore={hasMore} onEnd={loadMore} />
            )
          }
        </Answer>
      </Card>
    </Page>
  )
}
