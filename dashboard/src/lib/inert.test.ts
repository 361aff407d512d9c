import { expect, it } from 'vitest'
import { plain, segmentsOf, windowOf } from './inert'

it('names characters that change direction or are invisible', () => {
  expect(segmentsOf('a\u202Eb\u200B')).toEqual([
    { kind: 'text', text: 'a' },
    { kind: 'mark', name: 'right-to-left override', text: 'U+202E' },
    { kind: 'text', text: 'b' },
    { kind: 'mark', name: 'zero width space', text: 'U+200B' },
  ])
  expect(plain('x\u2066y\u0007')).toBe('xU+2066yU+0007')
})

it('leaves ordinary text unchanged', () => {
  const text = 'tab\tline\r\nשלום مرحبا 👨‍👩‍👧 <script>'
  expect(segmentsOf(text.replace('\r', ''))).toEqual([{ kind: 'text', text: text.replace('\r', '') }])
})

it('shows the beginning, or the text around the highlight', () => {
  expect(windowOf(100, 1_000, null)).toEqual({ from: 0, to: 100 })
  expect(windowOf(5_000, 1_000, null)).toEqual({ from: 0, to: 1_000 })
  expect(windowOf(5_000, 1_000, { start: 3_000, end: 3_010 })).toEqual({ from: 2_750, to: 3_750 })
  expect(windowOf(5_000, 1_000, { start: 4_900, end: 4_910 })).toEqual({ from: 4_650, to: 5_000 })
})
