import { expect, it } from 'vitest'
import { localOf, periodOf, timesOf } from './filters'

const NOW = Date.parse('2026-11-17T10:30:00Z')

it('accepts a period or two times', () => {
  expect(timesOf({ since: '24h' }, NOW)).toEqual({ since: '2026-11-16T10:00:00.000Z', until: undefined })
  const exact = { since: '2026-11-01T00:00:00Z', until: '2026-11-02T00:00:00Z' }
  expect(timesOf(exact, NOW)).toEqual(exact)
  expect(timesOf({}, NOW)).toEqual({ since: undefined, until: undefined })
})

it('distinguishes a period from a custom range', () => {
  expect(periodOf({})).toBe('all')
  expect(periodOf({ since: '7d' })).toBe('7d')
  expect(periodOf({ since: '2026-11-01T00:00:00Z' })).toBeNull()
  expect(periodOf({ until: '2026-11-01T00:00:00Z' })).toBeNull()
})

it('shows a time to the minute, and nothing for an invalid time', () => {
  expect(new Date(localOf('2026-11-01T12:34:56Z')).toISOString()).toBe('2026-11-01T12:34:00.000Z')
  expect([localOf(undefined), localOf('yesterday')]).toEqual(['', ''])
})
