import { expect, it } from 'vitest'
import { leadOf } from './live-table'
import { matchesWords } from './run-cells'

it('says how many rows are shown without claiming a total that is not known', () => {
  expect(leadOf(100, 100, true, false)).toBe('Newest 100; scroll to load more')
  expect(leadOf(3, 100, true, true)).toBe('3 of the newest 100 match')
  expect(leadOf(12, 12, false, false)).toBe('12 in total, newest first')
  expect(leadOf(1, 1, false, true)).toBe('1 matches, newest first')
})

it('finds words in any order and case', () => {
  expect(matchesWords('Nobody can log in', 'LOG nobody')).toBe(true)
  expect(matchesWords('Nobody can log in', 'log out')).toBe(false)
})
