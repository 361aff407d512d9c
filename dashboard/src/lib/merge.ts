/** A growing list, newest first: a first page that is looked up again and again, and older pages that are kept. */

export interface ListPage<T> {
  items: T[]
  next_cursor?: string | null
  /** How many there are, at least; only on a first page. */
  total?: number | null
  /** Whether that is exact. */
  total_exact?: boolean | null
}

export interface Place {
  created_at: string
  id: string
}

/** A time that can be compared to the nanosecond: in the milliseconds of a Date, many things happen at once. */
function momentOf(at: string): [milliseconds: number, fraction: string] {
  return [Date.parse(at), (/\.(\d+)/.exec(at)?.[1] ?? '').padEnd(9, '0')]
}

/** Whether `a` is before `b`; not where they are of the same moment. */
function isBefore(a: Place, b: Place): boolean {
  const [left, right] = [momentOf(a.created_at), momentOf(b.created_at)]
  return left[0] === right[0] ? left[1] < right[1] : left[0] < right[0]
}

/**
 * The first page as it is now, then what is older than it. Whatever is missing from the first page although it would
 * have its place there is gone.
 */
export function joined<T>(first: ListPage<T>, older: ListPage<T>[], placeOf: (item: T) => Place): T[] {
  const last = first.items.at(-1)
  if (!first.next_cursor) return first.items
  // A search may find nothing in what its first page looked at.
  if (last === undefined) return older.flatMap((page) => page.items)
  const border = placeOf(last)
  const shown = new Set(first.items.map((item) => placeOf(item).id))
  const behind = older
    .flatMap((page) => page.items)
    .filter((item) => !shown.has(placeOf(item).id) && !isBefore(border, placeOf(item)))
  return [...first.items, ...behind]
}

/** Whether things between the first page and the older ones are not known: more came than a page holds. */
export function hasGap<T>(first: ListPage<T>, older: ListPage<T>[], placeOf: (item: T) => Place): boolean {
  const newest = older[0]?.items[0]
  const last = first.items.at(-1)
  if (newest === undefined || last === undefined || !first.next_cursor) return false
  return isBefore(placeOf(newest), placeOf(last))
}
