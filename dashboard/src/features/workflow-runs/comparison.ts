/** What siblings said of the same thing, made ready to be read side by side. Pure. */
import type { Api } from '@/api'
import type { Tone } from '@/lib/status'
import { type Part, ownWords } from '@/lib/words'
import type { Reading } from './model'

export interface SideView {
  agent: string
  pointer: string
  /** The value in words; null where the side has none. */
  value: string | null
  tone: Tone
  /** What it speaks of, where that is not exactly what all speak of. */
  place: string | null
  /** Its text, what the others have not marked; null where it has none. */
  text: Part[] | null
}

export type Kind = 'contradiction' | 'near_duplicate' | 'agreement'

export interface Compared {
  kind: Kind
  /** What they speak of: `src/a.rs:11`. */
  place: string
  /** What the entry is, in words. */
  label: string
  sides: SideView[]
}

/** All that came of comparing those who feed one node. */
export interface Group {
  node: string
  entries: Compared[]
}

/** The text of a part of an entry: numbers that differ only beyond what JavaScript counts are not to look the same. */
type Written = Reading['part']

export function groupsOf({ run, part }: Pick<Reading, 'run' | 'part'>): Group[] {
  return run.nodes
    .map((node, index) => {
      const written = (list: string, entry: number): Written => (...path) => part('nodes', String(index), list, String(entry), ...path)
      return {
        node: node.id,
        entries: [
          ...node.contradictions.map((entry, at) => contradiction(entry, written('contradictions', at))),
          ...node.near_duplicates.map((entry, at) => nearDuplicate(entry, written('near_duplicates', at))),
          ...node.agreements.map((entry, at) => agreement(entry, written('agreements', at))),
        ],
      }
    })
    .filter((group) => group.entries.length > 0)
}

function contradiction(entry: Api.Contradiction, written: Written): Compared {
  const label = entry.kind === 'flagged_and_cleared' ? 'Flagged by one agent, cleared by another' : `Different ${entry.field}`
  return { kind: 'contradiction', label, ...saidOf(entry, written) }
}

function nearDuplicate(entry: Api.NearDuplicate, written: Written): Compared {
  return { kind: 'near_duplicate', label: `${Math.round(entry.similarity * 100)} % similar`, ...saidOf(entry, written) }
}

function agreement(entry: Api.Agreement, written: Written): Compared {
  return { kind: 'agreement', label: `Same ${entry.field}`, ...saidOf(entry, written) }
}

function saidOf({ key, sides }: Pick<Api.Contradiction, 'key' | 'sides'>, written: Written): Pick<Compared, 'place' | 'sides'> {
  const place = placeOf(key, (name) => written('key', name))
  return { place, sides: sidesOf(sides, place, (...path) => written('sides', ...path)) }
}

function sidesOf(sides: Api.Side[], common: string, written: Written): SideView[] {
  return sides.map((side, index) => {
    const other = sides[index === 0 ? 1 : 0]
    const at = String(index)
    const place = side.key ? placeOf(side.key, (name) => written(at, 'key', name)) : null
    return {
      agent: side.agent,
      pointer: side.pointer,
      value: side.value === null || side.value === undefined ? null : wordsOf(side.value, written(at, 'value')),
      tone: toneOf(side.value),
      place: place === common ? null : place,
      text: typeof side.text === 'string' ? marked(side.text, other?.text) : null,
    }
  })
}

/** Longer texts are shown without marks: nobody compares them word by word. */
const MOST_COMPARED = 4_000

function marked(text: string, other: string | null | undefined): Part[] {
  const comparable = typeof other === 'string' && Math.max(text.length, other.length) <= MOST_COMPARED
  return comparable ? ownWords(text, other) : [{ text, own: false }]
}

/** A file and its line as everybody writes them, other keys by name. */
export function placeOf(key: Record<string, unknown>, written: (name: string) => string | null): string {
  const { file, line, ...others } = key
  const words = (name: string) => wordsOf(key[name], written(name))
  const rest = Object.keys(others).map((name) => `${name} ${words(name)}`)
  const place = file === undefined ? [] : [line === undefined ? words('file') : `${words('file')}:${words('line')}`]
  const alone = file === undefined && line !== undefined ? [`line ${words('line')}`] : []
  return [...place, ...alone, ...rest].join(', ')
}

const wordsOf = (value: unknown, written: string | null): string => (typeof value === 'string' ? value : (written ?? 'null'))

/** Words for how bad something is that reviewers use; others are neither good nor bad. */
const TONES: Record<string, Tone> = {
  blocker: 'danger', critical: 'danger', fatal: 'danger', high: 'danger', error: 'danger', reject: 'danger',
  major: 'warning', medium: 'warning', moderate: 'warning', warning: 'warning',
  minor: 'info', low: 'info', info: 'info',
  cleared: 'success', praise: 'success', ok: 'success', approve: 'success', pass: 'success',
}

function toneOf(value: unknown): Tone {
  return typeof value === 'string' ? (TONES[value.toLowerCase()] ?? 'neutral') : 'neutral'
}
