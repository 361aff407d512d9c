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

it('loses nothing of what happened in the same millisecond as the border', () => {
  const at = (fraction: string, id: string) => ({ created_at: `2026-01-01T00:00:00.${fraction}Z`, id })
  const newest = [at('0012', 'a'), at('00119', 'b')]
  const older = [...newest, at('00119', 'c'), at('001183', 'd'), at('0011', 'z')]
  const placeOf = (item: { created_at: string; id: string }) => item
  const list = joined({ items: newest, next_cursor: 'x' }, [{ items: older }], placeOf)
  expect(list.map((item) => item.id).join('')).toBe('abcdz')
})
