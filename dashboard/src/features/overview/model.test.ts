import { expect, it } from 'vitest'
import type { Api } from '@/api'
import { daysOf, depthsOf, rateSeries, runSeries, firstToTry, latencySeries, hoursOf, sorted, sourcesOf } from './model'

const row = (key: string, more: Partial<Api.StatsRow>): Api.StatsRow => ({
  key, runs: 0, completed: 0, first_try: 0, after_retry: 0, failed: 0, contract_failed: 0, stopped: 0, success_rate: 0,
  first_try_rate: 0, retry_rate: 0, failure_rate: 0, attempts: 0, sources: { structured: 0, text: 0, fence: 0, prose: 0 }, input_tokens: 0, output_tokens: 0, cost_usd: 0,
  latency_ms_p50: 0, latency_ms_p95: 0, ...more,
})

it('lists every day from the first to today', () => {
  expect(daysOf([{ key: '2026-02-27' }, { key: '2026-03-01' }], '2026-03-02')).toEqual([
    '2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02',
  ])
  expect(daysOf([], '2026-03-02')).toEqual(['2026-03-02'])
  expect(daysOf([{ key: '1999-01-01' }], '2026-03-02')).toHaveLength(120)
})

it('has a gap for a day without runs', () => {
  const series = rateSeries([row('2026-03-01', { success_rate: 0.5 })], ['2026-02-28', '2026-03-01'])
  expect(series.map(({ label, values }) => [label, values])).toEqual([
    ['Success', [null, 0.5]],
    ['First attempt', [null, 0]],
    ['Failure', [null, 0]],
  ])
})

it('stacks bars and keeps the value of each part', () => {
  const rows = [row('2026-03-01', { runs: 10, first_try: 5, after_retry: 3, failed: 1, stopped: 1 })]
  expect(runSeries(rows, ['2026-03-01']).map(({ values, shown }) => [values, shown])).toEqual([
    [[9], [5]],
    [[4], [3]],
    [[1], undefined],
  ])
})

it('reads the queue depth', () => {
  const metrics = '# TYPE accord_queue_depth gauge\naccord_queue_depth{state="held"} 3\naccord_queue_depth{state="pending"} 12345\n'
  expect([depthsOf(metrics), depthsOf('accord_runs_total 3\n')]).toEqual([{ pending: 12_345, held: 3 }, null])
})

it('suggests an agent with an example, else one that accepts any input', () => {
  const agents = [
    { name: 'broken', valid: false, executor_type: 'llm' },
    { name: 'recorded', valid: true, executor_type: 'replay' },
    { name: 'command', valid: true, executor_type: 'process' },
  ]
  expect(firstToTry(agents, ['recorded'])).toEqual({ agent: 'recorded', example: true })
  expect(firstToTry(agents, [])).toEqual({ agent: 'command', example: false })
  expect(firstToTry(agents.slice(0, 2), [])).toEqual({ agent: 'recorded', example: false })
  expect(firstToTry(agents.slice(0, 1), [])).toBeNull()
})

it('starts a chart with the period, even if its first days had no runs', () => {
  expect(daysOf([{ key: '2026-03-02' }], '2026-03-02', '2026-03-01T09:00:00Z')).toEqual(['2026-03-01', '2026-03-02'])
})

it('sorts figures by a column, the largest first', () => {
  const rows = [row('a', { runs: 1, cost_usd: null }), row('b', { runs: 3, cost_usd: 0.2 }), row('c', { runs: 2, cost_usd: 0.1 })]
  const keys = (by: 'key' | 'runs' | 'cost', reversed = false) => sorted(rows, { by, reversed }).map(({ key }) => key).join('')
  expect([keys('runs'), keys('runs', true), keys('cost'), keys('key')]).toEqual(['bca', 'acb', 'bca', 'abc'])
})

it('shows latency by day', () => {
  const [p95, median] = latencySeries([row('2026-03-02', { latency_ms_p95: 90, latency_ms_p50: 10 })], ['2026-03-01', '2026-03-02'])
  expect([p95?.values, median?.values]).toEqual([[null, 90], [null, 10]])
})

it('lists every hour of a period up to now', () => {
  const now = Date.parse('2026-03-02T01:30:00Z')
  expect(hoursOf('2026-03-01T23:10:00Z', now)).toEqual(['2026-03-01T23:00Z', '2026-03-02T00:00Z', '2026-03-02T01:00Z'])
  const series = latencySeries([row('2026-03-02T00:00Z', { latency_ms_p95: 7 })], hoursOf('2026-03-01T23:00:00Z', now))
  expect(series[0]?.values).toEqual([null, 7, null])
})

it('counts results by source, and is empty if no source is known', () => {
  expect(sourcesOf(undefined)).toEqual([])
  expect(sourcesOf({ structured: 0, text: 0, fence: 0, prose: 0 })).toEqual([])
  const rows = sourcesOf({ structured: 2, text: 1, fence: 0, prose: 1 })
  expect(rows.map(({ source, results, share }) => [source, results, share])).toEqual([
    ['structured', 2, 0.5], ['text', 1, 0.25], ['fence', 0, 0], ['prose', 1, 0.25],
  ])
})
