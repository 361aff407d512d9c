/** What siblings said of the same thing, made ready to be read side by side. Pure. */
import type { Api } from '@/api'
import type { Tone } from '@/lib/status'
import { type Part, ownWords } from '@/lib/words'

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

export function groupsOf(run: Api.WorkflowRunView): Group[] {
  return run.nodes
    .map((node) => ({
      node: node.id,
      entries: [
        ...node.contradictions.map(contradiction),
        ...node.near_duplicates.map(nearDuplicate),
        ...node.agreements.map(agreement),
      ],
    }))
    .filter((group) => group.entries.length > 0)
}

function contradiction(entry: Api.Contradiction): Compared {
  const label = entry.kind === 'flagged_and_cleared' ? 'Flagged by one, cleared by another' : `Different ${entry.field}`
  return { kind: 'contradiction', place: placeOf(entry.key), label, sides: sidesOf(entry.sides, entry.key) }
}

function nearDuplicate(entry: Api.NearDuplicate): Compared {
  const label = `${Math.round(entry.similarity * 100)} % alike`
  return { kind: 'near_duplicate', place: placeOf(entry.key), label, sides: sidesOf(entry.sides, entry.key) }
}

function agreement(entry: Api.Agreement): Compared {
  return { kind: 'agreement', place: placeOf(entry.key), label: `Same ${entry.field}`, sides: sidesOf(entry.sides, entry.key) }
}

function sidesOf(sides: Api.Side[], key: Record<string, unknown>): SideView[] {
  return sides.map((side, index) => {
    const other = sides[index === 0 ? 1 : 0]
    const place = side.key ? placeOf(side.key) : null
    return {
      agent: side.agent,
      pointer: side.pointer,
      value: side.value === null || side.value === undefined ? null : wordsOf(side.value),
      tone: toneOf(side.value),
      place: place === placeOf(key) ? null : place,
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
export function placeOf(key: Record<string, unknown>): string {
  const { file, line, ...others } = key
  const rest = Object.entries(others).map(([name, value]) => `${name} ${wordsOf(value)}`)
  const place = file === undefined ? [] : [line === undefined ? wordsOf(file) : `${wordsOf(file)}:${wordsOf(line)}`]
  const alone = file === undefined && line !== undefined ? [`line ${wordsOf(line)}`] : []
  return [...place, ...alone, ...rest].join(', ')
}

const wordsOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

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
