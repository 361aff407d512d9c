import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { staleness } from './live'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('looks nothing up again before it is there', () => {
  const looked: string[] = []
  const fetching = new Set<string>()
  const stale = staleness({
    invalidateQueries: async ({ queryKey } = {}) => void looked.push(String(queryKey?.[0])),
    isFetching: ({ queryKey } = {}) => (fetching.has(String(queryKey?.[0])) ? 1 : 0),
  })
  fetching.add('stats')
  stale.add([['stats'], ['runs']])
  vi.advanceTimersByTime(400)
  expect(looked).toEqual(['runs'])
  stale.add([['stats']])
  vi.advanceTimersByTime(4000)
  expect(looked).toEqual(['runs'])
  fetching.clear()
  vi.advanceTimersByTime(400)
  expect(looked).toEqual(['runs', 'stats'])
  vi.advanceTimersByTime(4000)
  expect(looked).toEqual(['runs', 'stats'])
})
