/** Words that a text has and others have not, so that what differs between similar texts can be seen. */
import { diffParts } from './diff'

export interface Part {
  text: string
  /** Whether the other text has it not. */
  own: boolean
}

/** Below this, texts have so little in common that marking what differs would mark nearly all of it. */
const ALIKE = 0.35

/** A word with the space behind it, so that the parts together are the text. */
const WORD = /\s*\S+\s*$|\s*\S+/g

const wordsOf = (text: string): string[] => text.match(WORD) ?? (text === '' ? [] : [text])

const bare = (word: string): string => word.trim().replace(/[.,;:!?]+$/, '').toLowerCase()

/** A text in parts, those marked that `other` has not. One unmarked part where the two have little in common. */
export function ownWords(text: string, other: string): Part[] {
  const words = wordsOf(text)
  const whole = [{ text, own: false }]
  const compared = diffParts(wordsOf(other).map(bare), words.map(bare))
  if (compared === null) return whole
  const mine = compared.filter((part) => part.kind !== 'removed')
  const shared = mine.filter((part) => part.kind === 'same').length
  if (shared < ALIKE * Math.max(words.length, compared.length - mine.length + shared)) return whole
  const parts: Part[] = []
  for (const [index, word] of words.entries()) {
    const own = mine[index]?.kind === 'added'
    const last = parts.at(-1)
    if (last !== undefined && last.own === own) last.text += word
    else parts.push({ text: word, own })
  }
  return parts
}
