import { expect, it } from 'vitest'
import { diffLines } from './diff'

const shown = (before: string, after: string) =>
  diffLines(before, after)?.map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`)

it('shows what was changed', () => {
  expect(shown('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c'])
  expect(shown('a\nb', 'a\nb')).toEqual([' a', ' b'])
  expect(shown('a', 'a\nb')).toEqual([' a', '+b'])
  expect(shown('x\na\ny\nb', 'a\nb\nz')).toEqual(['-x', ' a', '-y', ' b', '+z'])
})

it('gives up where it would take too long', () => {
  const lines = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word} ${index}`).join('\n')
  expect(diffLines(lines('a'), lines('b'))).toBeNull()
})
