import { expect, it } from 'vitest'
import { attemptsOf, isExtracted, previewOf } from './run-facts'

it('shows the only value of an input, and names several', () => {
  expect(previewOf({ prompt: 'Fix\n  the   build' })).toBe('Fix the build')
  expect(previewOf({ version: '1.4', commits: ['a', 'b'] })).toBe('version: 1.4 · commits: ["a","b"]')
  expect([previewOf(null), previewOf(undefined), previewOf({})]).toEqual(['', '', ''])
})

it('cuts a long input', () => {
  expect(previewOf({ text: 'x'.repeat(100_000) })).toBe(`${'x'.repeat(200)}…`)
})

it('counts attempts by what the run says, and none before it starts', () => {
  expect(attemptsOf({ retry_count: 0, error: { type: 'executor_failed', message: '', attempts: 3 } })).toBe(3)
  expect(attemptsOf({ retry_count: 1, started_at: '2026-01-01T00:00:00Z' })).toBe(2)
  expect(attemptsOf({ retry_count: 0 })).toBeNull()
})

it('tells values that were taken out of other text from those that were not', () => {
  expect((['structured', 'text', 'fence', 'prose', undefined] as const).map(isExtracted)).toEqual([false, false, true, true, false])
})
