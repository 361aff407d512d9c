/** Figures, as the overview shows them. Pure. */
import type { Api } from '@/api'
import type { Series } from '@/components/chart'

/** More days than a chart can show apart. */
const MOST_DAYS = 120

/** Every day from the first with figures to the last, so that a day without runs is a gap and not missing. */
export function daysOf(rows: { key: string }[], today: string): string[] {
  const first = rows.map((row) => row.key).sort()[0] ?? today
  const days: string[] = []
  for (let at = Date.parse(`${today}T00:00:00Z`); days.length < MOST_DAYS; at -= 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10)
    days.unshift(day)
    if (day <= first) break
  }
  return days
}

type Row = Api.StatsRow

function byDay(rows: Row[], days: string[]): (Row | undefined)[] {
  const known = new Map(rows.map((row) => [row.key, row]))
  return days.map((day) => known.get(day))
}

export function rateSeries(rows: Row[], days: string[]): Series[] {
  const found = byDay(rows, days)
  const of = (pick: (row: Row) => number) => found.map((row) => (row ? pick(row) : null))
  return [
    { label: 'Success', colour: 'success', values: of((row) => row.success_rate) },
    { label: 'First try', colour: 'accent', values: of((row) => row.first_try_rate) },
    { label: 'Failure', colour: 'danger', values: of((row) => row.failure_rate) },
  ]
}

/** Bars drawn one over the other, the tallest first, look like one bar in parts. */
export function runSeries(rows: Row[], days: string[]): Series[] {
  const found = byDay(rows, days)
  const of = (pick: (row: Row) => number) => found.map((row) => (row ? pick(row) : 0))
  return [
    {
      label: 'First try',
      colour: 'success',
      values: of((row) => row.runs - row.stopped),
      shown: of((row) => row.first_try),
    },
    {
      label: 'After retry',
      colour: 'warning',
      values: of((row) => row.after_retry + row.failed),
      shown: of((row) => row.after_retry),
    },
    { label: 'Failed', colour: 'danger', values: of((row) => row.failed) },
  ]
}

export function tokenSeries(rows: Row[], days: string[]): Series[] {
  const found = byDay(rows, days)
  const of = (pick: (row: Row) => number) => found.map((row) => (row ? pick(row) : 0))
  return [
    {
      label: 'Read',
      colour: 'info',
      values: of((row) => row.input_tokens + row.output_tokens),
      shown: of((row) => row.input_tokens),
    },
    { label: 'Written', colour: 'accent', values: of((row) => row.output_tokens) },
  ]
}

export interface Depths {
  pending: number
  held: number
}

/** What waits and what runners hold, from the server's own counts; null where they are not among them. */
export function depthsOf(metrics: string): Depths | null {
  const of = (state: string) => new RegExp(`^accord_queue_depth\\{state="${state}"\\} (\\d+)`, 'm').exec(metrics)?.[1]
  const [pending, held] = [of('pending'), of('held')]
  return pending === undefined || held === undefined ? null : { pending: Number(pending), held: Number(held) }
}
