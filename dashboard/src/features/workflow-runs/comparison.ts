/** Prepares the comparison of upstream outputs for display. */
import type { Api } from '@/api'
import type { Tone } from '@/lib/status'
import { type Part, ownWords } from '@/lib/words'
import type { Reading } from './model'

export interface SideView {
  agent: string
  pointer: string
  /** The value as text; null if the side has none. */
  value: string | null
  tone: Tone
  /** The location of this side, if it differs from that of the entry. */
  location: string | null
  /** Its text, with the words marked that the other side lacks; null if it has none. */
  text: Part[] | null
}

export type Kind = 'contradiction' | 'near_duplicate' | 'agreement'

export interface Compared {
  kind: Kind
  /** The location of the finding, for example `src/a.rs:11`. */
  location: string
  /** A description of the entry. */
  label: string
  sides: SideView[]
}

/** The comparison results for one node's upstream agents. */
export interface Group {
  node: string
  entries: Compared[]
}

/** Returns the source text of a part of an entry, because numbers may differ only in digits that a double cannot represent. */
type SourceText = Reading['part']

export function groupsOf({ run, part }: Pick<Reading, 'run' | 'part'>): Group[] {
  return run.nodes
    .map((node, index) => {
      const sourceText = (list: string, entry: number): SourceText => (...path) => part('nodes', String(index), list, String(entry), ...path)
      return {
        node: node.id,
        entries: [
          ...node.contradictions.map((entry, at) => contradiction(entry, sourceText('contradictions', at))),
          ...node.near_duplicates.map((entry, at) => nearDuplicate(entry, sourceText('near_duplicates', at))),
          ...node.agreements.map((entry, at) => agreement(entry, sourceText('agreements', at))),
        ],
      }
    })
    .filter((group) => group.entries.length > 0)
}

function contradiction(entry: Api.Contradiction, sourceText: SourceText): Compared {
  const label = entry.kind === 'flagged_and_cleared' ? 'Flagged by one agent, cleared by another' : `Different ${entry.field}`
  return { kind: 'contradiction', label, ...contentOf(entry, sourceText) }
}

function nearDuplicate(entry: Api.NearDuplicate, sourceText: SourceText): Compared {
  return { kind: 'near_duplicate', label: `${Math.round(entry.similarity * 100)} % similar`, ...contentOf(entry, sourceText) }
}

function agreement(entry: Api.Agreement, sourceText: SourceText): Compared {
  return { kind: 'agreement', label: `Same ${entry.field}`, ...contentOf(entry, sourceText) }
}

function contentOf({ key, sides }: Pick<Api.Contradiction, 'key' | 'sides'>, sourceText: SourceText): Pick<Compared, 'location' | 'sides'> {
  const location = locationOf(key, (name) => sourceText('key', name))
  return { location, sides: sidesOf(sides, location, (...path) => sourceText('sides', ...path)) }
}

function sidesOf(sides: Api.Side[], common: string, sourceText: SourceText): SideView[] {
  return sides.map((side, index) => {
    const other = sides[index === 0 ? 1 : 0]
    const at = String(index)
    const location = side.key ? locationOf(side.key, (name) => sourceText(at, 'key', name)) : null
    return {
      agent: side.agent,
      pointer: side.pointer,
      value: side.value === null || side.value === undefined ? null : textOf(side.value, sourceText(at, 'value')),
      tone: toneOf(side.value),
      location: location === common ? null : location,
      text: typeof side.text === 'string' ? marked(side.text, other?.text) : null,
    }
  })
}

/** Longer texts are shown without marks, because comparing them word by word is slow and not helpful. */
const MAX_COMPARED_LENGTH = 4_000

function marked(text: string, other: string | null | undefined): Part[] {
  const comparable = typeof other === 'string' && Math.max(text.length, other.length) <= MAX_COMPARED_LENGTH
  return comparable ? ownWords(text, other) : [{ text, own: false }]
}

/** Formats a file and line as `file:line`, and other keys by name. */
export function locationOf(key: Record<string, unknown>, sourceText: (name: string) => string | null): string {
  const { file, line, ...others } = key
  const text = (name: string) => textOf(key[name], sourceText(name))
  const rest = Object.keys(others).map((name) => `${name} ${text(name)}`)
  const location = file === undefined ? [] : [line === undefined ? text('file') : `${text('file')}:${text('line')}`]
  const alone = file === undefined && line !== undefined ? [`line ${text('line')}`] : []
  return [...location, ...alone, ...rest].join(', ')
}

const textOf = (value: unknown, sourceText: string | null): string => (typeof value === 'string' ? value : (sourceText ?? 'null'))

/** Colours of common severity words; other values are neutral. */
const TONES: Record<string, Tone> = {
  blocker: 'danger', critical: 'danger', fatal: 'danger', high: 'danger', error: 'danger', reject: 'danger',
  major: 'warning', medium: 'warning', moderate: 'warning', warning: 'warning',
  minor: 'info', low: 'info', info: 'info',
  cleared: 'success', praise: 'success', ok: 'success', approve: 'success', pass: 'success',
}

function toneOf(value: unknown): Tone {
  return typeof value === 'string' ? (TONES[value.toLowerCase()] ?? 'neutral') : 'neutral'
}
