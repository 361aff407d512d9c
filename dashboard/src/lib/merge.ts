/** Merges a list, newest first, from a first page that is refetched and older pages that are kept. */

export interface ListPage<T> {
  items: T[]
  next_cursor?: string | null
  /** The number of items, or a lower bound of it. Only on the first page. */
  total?: number | null
  /** Whether `total` is exact. */
  total_exact?: boolean | null
}

export interface ListPosition {
  created_at: string
  id: string
}

/** A time with nanosecond precision: many items have the same millisecond. */
function momentOf(at: string): [milliseconds: number, fraction: string] {
  return [Date.parse(at), (/\.(\d+)/.exec(at)?.[1] ?? '').padEnd(9, '0')]
}

/** Whether `a` is older than `b`; false if they have the same time. */
function isBefore(a: ListPosition, b: ListPosition): boolean {
  const [left, right] = [momentOf(a.created_at), momentOf(b.created_at)]
  return left[0] === right[0] ? left[1] < right[1] : left[0] < right[0]
}

/**
 * The first page as it is now, then all older items. An item of an older page that belongs on the first page but is
 * missing there has been removed or no longer matches, so it is dropped.
 */
export function mergePages<T>(first: ListPage<T>, older: ListPage<T>[], positionOf: (item: T) => ListPosition): T[] {
  const last = first.items.at(-1)
  if (!first.next_cursor) return first.items
  // The first page of a search can be empty although older pages have matches.
  if (last === undefined) return older.flatMap((page) => page.items)
  const border = positionOf(last)
  const shown = new Set(first.items.map((item) => positionOf(item).id))
  const rest = older
    .flatMap((page) => page.items)
    .filter((item) => !shown.has(positionOf(item).id) && !isBefore(border, positionOf(item)))
  return [...first.items, ...rest]
}

/** Whether items between the first page and the older pages are missing, because more arrived than one page holds. */
export function hasGap<T>(first: ListPage<T>, older: ListPage<T>[], positionOf: (item: T) => ListPosition): boolean {
  const newest = older[0]?.items[0]
  const last = first.items.at(-1)
  if (newest === undefined || last === undefined || !first.next_cursor) return false
  return isBefore(positionOf(newest), positionOf(last))
}
