/** A growing list, newest first: a first page that is looked up again and again, and older pages that are kept. */

export interface ListPage<T> {
  items: T[]
  next_cursor?: string | null
}

export interface Place {
  created_at: string
  id: string
}

/** Whether `a` stands behind `b` in a list that has the newest first. */
function isOlder(a: Place, b: Place): boolean {
  return a.created_at === b.created_at ? a.id < b.id : Date.parse(a.created_at) < Date.parse(b.created_at)
}

/**
 * The first page as it is now, then what is older than it. Whatever is missing from the first page although it would
 * have its place there is gone.
 */
export function joined<T>(first: ListPage<T>, older: ListPage<T>[], placeOf: (item: T) => Place): T[] {
  const last = first.items.at(-1)
  if (last === undefined || !first.next_cursor) return first.items
  const border = placeOf(last)
  const behind = older.flatMap((page) => page.items).filter((item) => isOlder(placeOf(item), border))
  return [...first.items, ...behind]
}

/** Whether things between the first page and the older ones are not known: more came than a page holds. */
export function hasGap<T>(first: ListPage<T>, older: ListPage<T>[], placeOf: (item: T) => Place): boolean {
  const newest = older[0]?.items[0]
  const last = first.items.at(-1)
  if (newest === undefined || last === undefined || !first.next_cursor) return false
  return isOlder(placeOf(newest), placeOf(last))
}
