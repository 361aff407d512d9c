/**
 * Makes untrusted text safe to display: replaces characters that change the text direction or are invisible with their
 * names, and limits how much of a long text is shown at once.
 */

export type Segment = { kind: 'text'; text: string } | { kind: 'mark'; name: string; text: string }

const NAMES: Record<number, string> = {
  0x00ad: 'soft hyphen',
  0x061c: 'Arabic letter mark',
  0x200b: 'zero width space',
  0x200c: 'zero width non-joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'pop directional formatting',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'pop directional isolate',
  0xfeff: 'byte order mark',
}

/** Control characters except tab and line breaks, and every character in the table above. The emoji joiner (U+200D) is allowed. */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g

function codeOf(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Splits a text into parts that are shown unchanged and characters that are shown by name. */
export function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = []
  let from = 0
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) segments.push({ kind: 'text', text: text.slice(from, match.index) })
    const name = NAMES[match[0].codePointAt(0) ?? 0] ?? 'control character'
    segments.push({ kind: 'mark', name, text: codeOf(match[0]) })
    from = match.index + match[0].length
  }
  if (from < text.length) segments.push({ kind: 'text', text: text.slice(from) })
  return segments
}

/** Replaces hidden characters with their code points, for titles and labels. */
export function plain(text: string): string {
  return text.replace(HIDDEN, codeOf)
}

export interface Window {
  from: number
  to: number
}

/** Which part of a long text is shown first: its beginning, or the part around the highlighted span. */
export function windowOf(length: number, limit: number, lit: { start: number; end: number } | null): Window {
  if (length <= limit) return { from: 0, to: length }
  if (lit === null || lit.end <= limit) return { from: 0, to: limit }
  const from = Math.max(0, lit.start - Math.floor(limit / 4))
  return { from, to: Math.min(length, from + limit) }
}
