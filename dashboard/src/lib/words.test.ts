import { expect, it } from 'vitest'
import { ownWords } from './words'

const shown = (text: string, other: string) =>
  ownWords(text, other).map((part) => (part.own ? `[${part.text}]` : part.text)).join('')

it('marks what the other text has not', () => {
  expect(shown('A file that is missing panics.', 'A file that is locked panics')).toBe('A file that is[ missing] panics.')
})

it('marks nothing where nearly all differs', () => {
  expect(shown('Path traversal: names climb out', 'Resolved in one place only')).toBe('Path traversal: names climb out')
})

it('keeps the text as it is', () => {
  for (const text of ['', ' ', '  two  words \n', 'x']) {
    expect(ownWords(text, 'two other words').map((part) => part.text).join('')).toBe(text)
  }
  expect(shown('the same text', 'the same text')).toBe('the same text')
})
