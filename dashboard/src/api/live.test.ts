import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { invalidator } from './live'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('does not invalidate a query while it is being fetched', () => {
  const invalidated: string[] = []
  const fetching = new Set<string>()
  const stale = invalidator({
    invalidateQueries: async ({ queryKey } = {}) => void invalidated.push(String(queryKey?.[0])),
    isFetching: ({ queryKey } = {}) => (fetching.has(String(queryKey?.[0])) ? 1 : 0),
  })
  fetching.add('stats')
  stale.add([['stats'], ['runs']])
  vi.advanceTimersByTime(400)
  expect(invalidated).toEqual(['runs'])
  stale.add([['stats']])
  vi.advanceTimersByTime(4000)
  expect(invalidated).toEqual(['runs'])
  fetching.clear()
  vi.advanceTimersByTime(400)
  expect(invalidated).toEqual(['runs', 'stats'])
  vi.advanceTimersByTime(4000)
  expect(invalidated).toEqual(['runs', 'stats'])
})
