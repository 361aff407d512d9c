import { expect, it } from 'vitest'
import { leadOf } from './live-table'

it('shows the visible rows and the total', () => {
  const counted = { items: [], total: 1390, total_exact: true }
  expect(leadOf({ first: 0, last: 49 }, 100, counted)).toBe('1–50 of 1,390, newest first')
  expect(leadOf({ first: 90, last: 120 }, 100, counted)).toBe('91–100 of 1,390, newest first')
  expect(leadOf(null, 100, counted)).toBe('1,390 in total, newest first')
  expect(leadOf({ first: 0, last: 4 }, 5, { items: [], total: 3, total_exact: true })).toBe('1–5 of 5, newest first')
})

it('marks a total that is a lower bound', () => {
  const bounded = { items: [], total: 10_000, total_exact: false }
  expect(leadOf({ first: 0, last: 49 }, 100, bounded)).toBe('1–50 of 10,000+, newest first')
  expect(leadOf(null, 0, { items: [], total: 0, total_exact: false })).toBe('Searching older items…')
  expect(leadOf(null, 0, { items: [], total: 0, total_exact: true })).toBe('None')
})
