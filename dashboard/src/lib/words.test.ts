import { expect, it } from 'vitest'
import { ownWords } from './words'

const marked = (text: string, other: string) =>
  ownWords(text, other).map((part) => (part.own ? `[${part.text}]` : part.text)).join('')

it('marks words that the other text lacks', () => {
  expect(marked('A file that is missing panics.', 'A file that is locked panics')).toBe('A file that is[ missing] panics.')
})

it('marks nothing if the texts are too different', () => {
  expect(marked('Path traversal: names climb out', 'Resolved in one place only')).toBe('Path traversal: names climb out')
})

it('keeps the text unchanged', () => {
  for (const text of ['', ' ', '  two  words \n', 'x']) {
    expect(ownWords(text, 'two other words').map((part) => part.text).join('')).toBe(text)
  }
  expect(marked('the same text', 'the same text')).toBe('the same text')
})
