/**
 * Texts that models wrote, made plain: characters that change the direction of text or cannot be seen are named, and
 * a long text is cut into pieces that a browser lays out in no time.
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

/** Controls but tab and line feeds, and everything of the table above. The joiner of emoji (U+200D) may stay. */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g

function codeOf(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** The pieces of a text: what can be shown as it is, and what is shown by its name. */
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

/** The same in one line of plain text, for titles and labels. */
export function plain(text: string): string {
  return text.replace(HIDDEN, codeOf)
}

export interface Window {
  from: number
  to: number
}

/** Which part of a long text is shown at first: its beginning, or the surroundings of the place that is lit up. */
export function windowOf(length: number, limit: number, lit: { start: number; end: number } | null): Window {
  if (length <= limit) return { from: 0, to: length }
  if (lit === null || lit.end <= limit) return { from: 0, to: limit }
  const from = Math.max(0, lit.start - Math.floor(limit / 4))
  return { from, to: Math.min(length, from + limit) }
}
