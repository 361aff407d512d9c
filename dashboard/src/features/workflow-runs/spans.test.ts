import { expect, it } from 'vitest'
import { spansOf, ticksOf } from './spans'

const node = (id: string, status: string, started_at: string | null, finished_at: string | null) =>
  ({ id, status, started_at, finished_at }) as never

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`

it('sorts nodes by their start and lists those that never started', () => {
  const nodes = [node('late', 'completed', at(4), at(6)), node('early', 'completed', at(1), at(4)), node('never', 'skipped', null, null)]
  expect(spansOf({ created_at: at(0), finished_at: at(10), nodes }, 0)).toEqual({
    length: 10_000,
    nodes: [
      { id: 'early', status: 'completed', from: 1_000, to: 4_000 },
      { id: 'late', status: 'completed', from: 4_000, to: 6_000 },
    ],
    idle: [{ id: 'never', status: 'skipped' }],
  })
})

it('extends a running node until now', () => {
  const nodes = [node('a', 'running', at(1), null)]
  expect(spansOf({ created_at: at(0), finished_at: null, nodes }, Date.parse(at(5))).nodes[0]).toMatchObject({ from: 1_000, to: 5_000 })
})

it('marks an axis with round numbers', () => {
  expect(ticksOf(10_000)).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000])
  expect(ticksOf(61_000)).toEqual([0, 20_000, 40_000, 60_000])
  expect(ticksOf(3)).toEqual([0, 1, 2, 3])
})
