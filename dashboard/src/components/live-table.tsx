/** A page that is one live list: how many there are, filters beside the heading, a table of any length. */
import { type ReactNode, useCallback, useMemo } from 'react'
import { type LiveList, useLiveList } from '@/api/live-list'
import { exactCount } from '@/lib/format'
import { Page } from './page'
import { useFound } from './run-cells'
import { Answer } from './states'
import { Button, Card } from './ui'
import { type Column, VirtualTable } from './virtual-table'

interface Props<T> {
  title: string
  /** Which list; the same object as long as it is the same list. */
  list: LiveList<T>
  columns: Column<T>[]
  /** Whether the list is only a part of all. */
  filtered: boolean
  /** Only what was created since: lists are newest first, so nothing older is loaded. */
  since?: string
  /** What is searched for, in the rows that are loaded. */
  find?: string
  /** What a search looks at: a text, and the input of a run. The same function between renders. */
  searched?: (item: T) => { run: string; text: string }
  /** Beside the heading: filters, and what can be begun. */
  actions: ReactNode
  /** In the place of an empty table. */
  nothing: ReactNode
}

const NOTHING = () => ({ run: '', text: '' })

export function LiveTablePage<T>({ title, list, columns, filtered, since, find, searched = NOTHING, actions, nothing }: Props<T>) {
  const { query, items: loaded, hasMore: more, loadMore } = useLiveList(list)
  const { placeOf } = list
  const keyOf = useCallback((item: T) => placeOf(item).id, [placeOf])
  const recent = useMemo(
    () => (since === undefined ? loaded : loaded.filter((item) => Date.parse(placeOf(item).created_at) >= Date.parse(since))),
    [loaded, since, placeOf],
  )
  const hasMore = more && recent.length === loaded.length
  const items = useFound(recent, find, searched)
  // A search would load everything to find little: more is searched on request.
  const loadsMore = hasMore && items.length === recent.length
  return (
    <Page
      title={title}
      fill
      lead={
        query.data ? (
          <span className="inline-flex min-h-7 items-center gap-2">
            {leadOf(items.length, recent.length, hasMore, filtered)}
            {hasMore && !loadsMore ? (
              <Button size="small" onClick={loadMore}>
                Search more
              </Button>
            ) : null}
          </span>
        ) : (
          ' '
        )
      }
      actions={actions}
    >
      <Card className="flex min-h-64 flex-1 flex-col overflow-hidden">
        <Answer query={query}>
          {() =>
            items.length === 0 && !loadsMore ? (
              nothing
            ) : (
              <VirtualTable label={title} items={items} columns={columns} keyOf={keyOf} hasMore={loadsMore} onEnd={loadMore} />
            )
          }
        </Answer>
      </Card>
    </Page>
  )
}

/** How many rows there are; the server does not count those that are not loaded. */
export function leadOf(shown: number, loaded: number, more: boolean, filtered: boolean): string {
  if (shown < loaded) return `${exactCount(shown)} of the newest ${exactCount(loaded)} match`
  if (more) return `Newest ${exactCount(loaded)}; scroll to load more`
  return `${exactCount(shown)} ${filtered ? (shown === 1 ? 'matches' : 'match') : 'in total'}, newest first`
}
