import { expect, it } from 'vitest'
import { type ListPage, hasGap, mergePages } from './merge'

const item = (number: number) => ({ id: `ses_${number}`, created_at: `2026-01-01T00:00:0${number}Z` })
const page = (numbers: number[], next: string | null = 'more'): ListPage<ReturnType<typeof item>> => ({
  items: numbers.map(item),
  next_cursor: next,
})
const ids = (items: { id: string }[]) => items.map(({ id }) => id.slice(4)).join('')

it('appends older pages to the first', () => {
  expect(ids(mergePages(page([9, 8, 7]), [page([7, 6, 5]), page([4, 3], null)], (each) => each))).toBe('9876543')
})

it('drops items that are no longer on the first page', () => {
  // Number 8 no longer matches the filter.
  expect(ids(mergePages(page([9, 7, 6]), [page([9, 8, 7]), page([6, 5])], (each) => each))).toBe('9765')
})

it('uses only the first page if it is the last one', () => {
  expect(ids(mergePages(page([2], null), [page([4, 3])], (each) => each))).toBe('2')
})

it('detects a gap between the first page and the older ones', () => {
  expect(hasGap(page([9, 8]), [page([6, 5])], (each) => each)).toBe(true)
  expect(hasGap(page([9, 8, 6]), [page([6, 5])], (each) => each)).toBe(false)
  expect(hasGap(page([9, 8]), [], (each) => each)).toBe(false)
})

it('keeps items from the same millisecond as the last item of the first page', () => {
  const at = (fraction: string, id: string) => ({ created_at: `2026-01-01T00:00:00.${fraction}Z`, id })
  const newest = [at('0012', 'a'), at('00119', 'b')]
  const older = [...newest, at('00119', 'c'), at('001183', 'd'), at('0011', 'z')]
  const positionOf = (item: { created_at: string; id: string }) => item
  const list = mergePages({ items: newest, next_cursor: 'x' }, [{ items: older }], positionOf)
  expect(list.map((item) => item.id).join('')).toBe('abcdz')
})
