/** Search parameters, read with care: an address can hold anything. */
export type RawSearch = Record<string, unknown>

/** A text that is not empty. Numbers and the like are taken as they are written. */
export function textOf(search: RawSearch, name: string): string | undefined {
  const value = search[name]
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** A whole number from 0. */
export function indexOf(search: RawSearch, name: string): number | undefined {
  const value = Number(search[name] ?? Number.NaN)
  return Number.isInteger(value) && value >= 0 ? value : undefined
}

/** One of the values that there are. */
export function oneOf<T extends string>(search: RawSearch, name: string, known: readonly T[]): T | undefined {
  return known.find((value) => value === search[name])
}

/** A time, as the server takes it. */
export function timeOf(search: RawSearch, name: string): string | undefined {
  const text = textOf(search, name)
  return text !== undefined && /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined
}

/** Since when: a period or a time. */
export function sinceIn(search: RawSearch): string | undefined {
  return oneOf(search, 'since', ['24h', '7d', '30d'] as const) ?? timeOf(search, 'since')
}

/** Links need not name what may be absent. */
export function optional<T extends object>(search: T): Partial<T> {
  return search
}
