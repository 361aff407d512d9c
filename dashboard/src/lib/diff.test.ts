import { expect, it } from 'vitest'
import { diffLines } from './diff'

const rendered = (before: string, after: string) =>
  diffLines(before, after)?.map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`)

it('marks removed and added lines', () => {
  expect(rendered('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c'])
  expect(rendered('a\nb', 'a\nb')).toEqual([' a', ' b'])
  expect(rendered('a', 'a\nb')).toEqual([' a', '+b'])
  expect(rendered('x\na\ny\nb', 'a\nb\nz')).toEqual(['-x', ' a', '-y', ' b', '+z'])
})

it('returns null for texts that would take too long to compare', () => {
  const lines = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word} ${index}`).join('\n')
  expect(diffLines(lines('a'), lines('b'))).toBeNull()
})
