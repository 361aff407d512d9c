import { act, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Elapsed } from './time'

beforeEach(() => vi.useFakeTimers({ now: Date.parse('2026-01-01T00:01:00Z') }))
afterEach(() => vi.useRealTimers())

const FROM = '2026-01-01T00:00:00Z'

it('counts until there is an end time', () => {
  const { container, rerender } = render(<Elapsed from={FROM} to={null} />)
  expect(container.textContent).toBe('1 min 0 s')
  act(() => vi.advanceTimersByTime(3_000))
  expect(container.textContent).toBe('1 min 3 s')
  rerender(<Elapsed from={FROM} to="2026-01-01T00:00:02Z" />)
  expect(container.textContent).toBe('2.0 s')
  rerender(<Elapsed from={null} to={null} />)
  expect(container.textContent).toBe('–')
})
