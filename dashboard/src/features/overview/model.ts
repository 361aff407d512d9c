/** Prepares statistics for the overview. */
import type { Api } from '@/api'
import type { Series } from '@/components/chart'

/** The maximum number of days that a chart can show. */
const MAX_DAYS = 120

/** Every day from the first one with figures, or from the start of the period, so that days without runs are shown as gaps. */
export function daysOf(rows: { key: string }[], today: string, since?: string): string[] {
  const first = since?.slice(0, 10) ?? rows.map((row) => row.key).sort()[0] ?? today
  const days: string[] = []
  for (let at = Date.parse(`${today}T00:00:00Z`); days.length < MAX_DAYS; at -= 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10)
    days.unshift(day)
    if (day <= first) break
  }
  return days
}

/** Every hour of a period up to now. */
export function hoursOf(since: string, now: number): string[] {
  const hour = 3_600_000
  const hours: string[] = []
  for (let at = Math.floor(Date.parse(since) / hour) * hour; at <= now; at += hour) {
    hours.push(`${new Date(at).toISOString().slice(0, 13)}:00Z`)
  }
  return hours
}

type Row = Api.StatsRow

function byTime(rows: Row[], times: string[]): (Row | undefined)[] {
  const known = new Map(rows.map((row) => [row.key, row]))
  return times.map((time) => known.get(time))
}

export function rateSeries(rows: Row[], times: string[]): Series[] {
  const found = byTime(rows, times)
  const of = (pick: (row: Row) => number) => found.map((row) => (row ? pick(row) : null))
  return [
    { label: 'Success', colour: 'success', values: of((row) => row.success_rate) },
    { label: 'First attempt', colour: 'accent', values: of((row) => row.first_try_rate) },
    { label: 'Failure', colour: 'danger', values: of((row) => row.failure_rate) },
  ]
}

/** Bars drawn over each other, the tallest first, look like stacked bars. */
export function runSeries(rows: Row[], times: string[]): Series[] {
  const found = byTime(rows, times)
  const of = (pick: (row: Row) => number) => found.map((row) => (row ? pick(row) : 0))
  return [
    {
      label: 'First attempt',
      colour: 'success',
      values: of((row) => row.runs - row.stopped),
      shown: of((row) => row.first_try),
    },
    {
      label: 'After a retry',
      colour: 'warning',
      values: of((row) => row.after_retry + row.failed),
      shown: of((row) => row.after_retry),
    },
    { label: 'Failed', colour: 'danger', values: of((row) => row.failed) },
  ]
}

export function tokenSeries(rows: Row[], times: string[]): Series[] {
  const found = byTime(rows, times)
  const of = (pick: (row: Row) => number) => found.map((row) => (row ? pick(row) : 0))
  return [
    {
      label: 'Input',
      colour: 'info',
      values: of((row) => row.input_tokens + row.output_tokens),
      shown: of((row) => row.input_tokens),
    },
    { label: 'Output', colour: 'accent', values: of((row) => row.output_tokens) },
  ]
}

export function costSeries(rows: Row[], times: string[]): Series[] {
  return [{ label: 'Cost', colour: 'accent', values: byTime(rows, times).map((row) => row?.cost_usd ?? null) }]
}

export function latencySeries(rows: Row[], times: string[]): Series[] {
  const found = byTime(rows, times)
  return [
    { label: 'p95', colour: 'warning', values: found.map((row) => row?.latency_ms_p95 ?? null) },
    { label: 'Median', colour: 'accent', values: found.map((row) => row?.latency_ms_p50 ?? null) },
  ]
}

/** The sortable columns of a table, largest first except for the name. */
export const COLUMNS = {
  key: { label: '', of: (row: Row) => row.key },
  runs: { label: 'Runs', of: (row: Row) => row.runs },
  success: { label: 'Success', of: (row: Row) => row.success_rate },
  first: { label: 'First attempt', of: (row: Row) => row.first_try_rate },
  failed: { label: 'Failed', of: (row: Row) => row.failed },
  tokens: { label: 'Tokens', of: (row: Row) => row.input_tokens + row.output_tokens },
  cost: { label: 'Cost', of: (row: Row) => row.cost_usd ?? -1 },
  p95: { label: 'p95', of: (row: Row) => row.latency_ms_p95 },
}
export type ColumnName = keyof typeof COLUMNS

export interface Sorting {
  by: ColumnName
  reversed: boolean
}

export function sorted(rows: Row[], { by, reversed }: Sorting): Row[] {
  const { of } = COLUMNS[by]
  const compared = [...rows].sort((left, right) => {
    const [a, b] = [of(left), of(right)]
    if (typeof a === 'string' || typeof b === 'string') return String(a).localeCompare(String(b))
    return b - a || left.key.localeCompare(right.key)
  })
  return reversed ? compared.reverse() : compared
}

export interface Depths {
  pending: number
  held: number
}

/** Reads the queue depth from the server's metrics; null if it is not there. */
export function depthsOf(metrics: string): Depths | null {
  const of = (state: string) => new RegExp(`^accord_queue_depth\\{state="${state}"\\} (\\d+)`, 'm').exec(metrics)?.[1]
  const [pending, held] = [of('pending'), of('held')]
  return pending === undefined || held === undefined ? null : { pending: Number(pending), held: Number(held) }
}

export interface FirstAgent {
  agent: string
  /** Whether its schema has an example input. */
  example: boolean
}

/** The agent for a first run: one with an example input, else one that accepts any input, else a recording. */
export function firstToTry(agents: Pick<Api.AgentSummary, 'name' | 'valid' | 'executor_type'>[], examples: readonly string[]): FirstAgent | null {
  const valid = agents.filter((agent) => agent.valid)
  const withExample = valid.find(({ name }) => examples.includes(name))
  if (withExample !== undefined) return { agent: withExample.name, example: true }
  const any = valid.find((agent) => agent.executor_type !== 'replay') ?? valid[0]
  return any === undefined ? null : { agent: any.name, example: false }
}

const SOURCES = [
  ['structured', 'Structured output or submit tool'],
  ['text', 'The whole answer'],
  ['fence', 'In a code fence'],
  ['prose', 'In prose'],
  ['human', 'Entered by a person'],
] as const

/** The number of results by source; empty if no source is known. */
export function sourcesOf(counts: Api.SourceCounts | undefined) {
  const all = counts ? SOURCES.reduce((sum, [source]) => sum + (counts[source] ?? 0), 0) : 0
  if (!counts || all === 0) return []
  return SOURCES.map(([source, label]) => ({ source, label, results: counts[source] ?? 0, share: (counts[source] ?? 0) / all })).filter(
    ({ source, results }) => source !== 'human' || results > 0,
  )
}
