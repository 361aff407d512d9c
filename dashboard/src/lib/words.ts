/** Marks the words in which similar texts differ. */
import { diffParts } from './diff'

export interface Part {
  text: string
  /** Whether the other text lacks this part. */
  own: boolean
}

/** If less than this share of words is common, nearly everything would be marked, so nothing is. */
const MIN_SIMILARITY = 0.35

/** A word with the whitespace around it, so that the parts joined give the original text. */
const WORD = /\s*\S+\s*$|\s*\S+/g

const wordsOf = (text: string): string[] => text.match(WORD) ?? (text === '' ? [] : [text])

const bare = (word: string): string => word.trim().replace(/[.,;:!?]+$/, '').toLowerCase()

/** Splits a text into parts and marks those that `other` lacks. One unmarked part if the two have little in common. */
export function ownWords(text: string, other: string): Part[] {
  const words = wordsOf(text)
  const whole = [{ text, own: false }]
  const compared = diffParts(wordsOf(other).map(bare), words.map(bare))
  if (compared === null) return whole
  const mine = compared.filter((part) => part.kind !== 'removed')
  const shared = mine.filter((part) => part.kind === 'same').length
  if (shared < MIN_SIMILARITY * Math.max(words.length, compared.length - mine.length + shared)) return whole
  const parts: Part[] = []
  for (const [index, word] of words.entries()) {
    const own = mine[index]?.kind === 'added'
    const last = parts.at(-1)
    if (last !== undefined && last.own === own) last.text += word
    else parts.push({ text: word, own })
  }
  return parts
}
