/** Parses search parameters. The user can type anything into the address bar, so invalid values are ignored. */
export type RawSearch = Record<string, unknown>

/** A non-empty string. Numbers and booleans are converted, because the router parses them. */
export function textOf(search: RawSearch, name: string): string | undefined {
  const value = search[name]
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** A non-negative integer. */
export function indexOf(search: RawSearch, name: string): number | undefined {
  const value = Number(search[name] ?? Number.NaN)
  return Number.isInteger(value) && value >= 0 ? value : undefined
}

/** One of the known values. */
export function oneOf<T extends string>(search: RawSearch, name: string, known: readonly T[]): T | undefined {
  return known.find((value) => value === search[name])
}

/** An RFC 3339 time. */
export function timeOf(search: RawSearch, name: string): string | undefined {
  const text = textOf(search, name)
  return text !== undefined && /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined
}

/** The start of the time range: a period or a time. */
export function sinceIn(search: RawSearch): string | undefined {
  return oneOf(search, 'since', ['24h', '7d', '30d'] as const) ?? timeOf(search, 'since')
}

/** Makes every parameter optional, so that links can omit it. */
export function optional<T extends object>(search: T): Partial<T> {
  return search
}
