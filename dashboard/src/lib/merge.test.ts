import { expect, it } from 'vitest'
import { type ListPage, hasGap, joined } from './merge'

const item = (number: number) => ({ id: `ses_${number}`, created_at: `2026-01-01T00:00:0${number}Z` })
const page = (numbers: number[], next: string | null = 'more'): ListPage<ReturnType<typeof item>> => ({
  items: numbers.map(item),
  next_cursor: next,
})
const ids = (items: { id: string }[]) => items.map(({ id }) => id.slice(4)).join('')

it('puts older pages behind the first', () => {
  expect(ids(joined(page([9, 8, 7]), [page([7, 6, 5]), page([4, 3], null)], (each) => each))).toBe('9876543')
})

it('drops what has left the first page', () => {
  // Number 8 no longer matches the filter.
  expect(ids(joined(page([9, 7, 6]), [page([9, 8, 7]), page([6, 5])], (each) => each))).toBe('9765')
})

it('takes the first page for everything where nothing follows', () => {
  expect(ids(joined(page([2], null), [page([4, 3])], (each) => each))).toBe('2')
})

it('sees a gap', () => {
  expect(hasGap(page([9, 8]), [page([6, 5])], (each) => each)).toBe(true)
  expect(hasGap(page([9, 8, 6]), [page([6, 5])], (each) => each)).toBe(false)
  expect(hasGap(page([9, 8]), [], (each) => each)).toBe(false)
})
