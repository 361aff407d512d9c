/** Formats numbers, durations and times for display. */

const WHOLE = new Intl.NumberFormat('en')
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export function count(value: number): string {
  return value < 10_000 ? WHOLE.format(value) : COMPACT.format(value)
}

export function exactCount(value: number): string {
  return WHOLE.format(value)
}

export function percent(rate: number): string {
  if (rate > 0 && rate < 0.001) return '<0.1 %'
  if (rate < 1 && rate > 0.999) return '>99.9 %'
  const digits = rate === 0 || rate === 1 ? 0 : 1
  return `${(rate * 100).toFixed(digits)} %`
}

/** A price in US dollars, or a dash if it is unknown. */
export function dollars(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–'
  if (value === 0) return '$0'
  return value < 0.01 ? `$${value.toPrecision(2)}` : `$${value.toFixed(2)}`
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1_000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** The duration between two RFC 3339 times, or a dash if one is missing. */
export function between(from: string | null | undefined, to: string | null | undefined): string {
  if (!from || !to) return '–'
  return duration(Math.max(0, Date.parse(to) - Date.parse(from)))
}

const STEPS: [limit: number, divisor: number, unit: string][] = [
  [60, 1, 's'],
  [3_600, 60, 'min'],
  [86_400, 3_600, 'h'],
  [30 * 86_400, 86_400, 'd'],
]

/** A short relative time such as `3 h ago`, or the date if it is more than 30 days ago. */
export function ago(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1_000))
  if (seconds < 5) return 'now'
  for (const [limit, divisor, unit] of STEPS) {
    if (seconds < limit) return `${Math.floor(seconds / divisor)} ${unit} ago`
  }
  return at.slice(0, 10)
}

/** The exact time in the user's time zone, including the zone's name. */
export function moment(at: string): string {
  return new Date(at).toLocaleString(undefined, {
    year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short',
  })
}

/** A short future time: the time of day, with the date if it is not today. */
export function until(at: string, now: number): string {
  const [then, today] = [new Date(at), new Date(now)]
  const time = then.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
  if (then.toDateString() === today.toDateString()) return time
  return `${then.toLocaleDateString(undefined, { month: 'short', day: 'numeric' })}, ${time}`
}

export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`
  if (value < 1_000_000) return `${(value / 1_000).toFixed(0)} kB`
  return `${(value / 1_000_000).toFixed(1)} MB`
}

/** A count with its noun: `plural(2, 'retry', 'retries')` is `2 retries`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}
