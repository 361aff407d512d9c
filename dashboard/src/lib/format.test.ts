import { expect, it } from 'vitest'
import { ago, between, bytes, count, dollars, duration, moment, percent, plural } from './format'

it('formats numbers', () => {
  expect([count(999), count(1_234), count(12_345), count(2_500_000)]).toEqual(['999', '1,234', '12.3K', '2.5M'])
  expect([percent(0), percent(1), percent(0.5), percent(0.9999), percent(0.0001)]).toEqual([
    '0 %', '100 %', '50.0 %', '>99.9 %', '<0.1 %',
  ])
  expect([dollars(null), dollars(0), dollars(0.00123), dollars(1.5)]).toEqual(['–', '$0', '$0.0012', '$1.50'])
  expect([bytes(12), bytes(980_000), bytes(1_200_000)]).toEqual(['12 B', '980 kB', '1.2 MB'])
  expect([plural(1, 'retry', 'retries'), plural(2, 'retry', 'retries'), plural(0, 'error')]).toEqual([
    '1 retry', '2 retries', '0 errors',
  ])
})

it('formats times', () => {
  expect([duration(12), duration(1_500), duration(61_000), duration(3_700_000)]).toEqual([
    '12 ms', '1.5 s', '1 min 1 s', '1 h 1 min',
  ])
  const now = Date.parse('2026-03-01T12:00:00Z')
  expect(['2026-03-01T11:59:58Z', '2026-03-01T11:59:00Z', '2026-03-01T09:00:00Z', '2026-01-01T00:00:00Z'].map((at) => ago(at, now))).toEqual([
    'now', '1 min ago', '3 h ago', '2026-01-01',
  ])
  expect(between('2026-03-01T00:00:00Z', null)).toBe('–')
})

it('includes the time zone in an exact time', () => {
  const zone = new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' })
  const at = '2026-01-01T00:00:00Z'
  const name = zone.formatToParts(new Date(at)).find(({ type }) => type === 'timeZoneName')?.value ?? 'none'
  expect(moment(at)).toContain(name)
})
