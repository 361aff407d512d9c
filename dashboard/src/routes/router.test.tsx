import { expect, it, vi } from 'vitest'
import { loadPagesLater, makeRouter } from './router'

it('loads the code of every page after the first one is shown', () => {
  vi.useFakeTimers()
  const router = makeRouter()
  const pages = Object.values(router.routesById).filter(({ options }) => options.component?.preload !== undefined)
  const loads = pages.map(({ options }) => vi.spyOn(options.component as { preload: () => Promise<void> }, 'preload').mockResolvedValue())
  const loaded = () => loads.filter((load) => load.mock.calls.length > 0).length
  loadPagesLater(router)
  vi.runAllTimers()
  expect(loaded()).toBe(0)
  router.emit({ type: 'onRendered', toLocation: router.latestLocation } as Parameters<typeof router.emit>[0])
  vi.runAllTimers()
  expect(loaded()).toBe(pages.length)
  expect(pages.length).toBeGreaterThan(15)
  vi.useRealTimers()
})
