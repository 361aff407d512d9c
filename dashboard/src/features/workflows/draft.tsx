/** The workflow that is being edited, for all parts of the page: one text, and everything that is read from it. */
import { useQuery } from '@tanstack/react-query'
import { createContext, useCallback, useContext, useMemo, useReducer, useState } from 'react'
import type { Api } from '@/api'
import type { Finding } from '@/components/code'
import { type Graph, readGraph } from '@/components/graph'
import { findingsIn } from '@/components/schema/findings'
import { readText } from '@/components/schema/text'
import { type Unread, useUnread } from '@/components/unread'
import { useSettled } from '@/lib/debounce'
import { type Json, type JsonMap, isMap, same } from '@/lib/lossless'
import { checkQuery } from './api'
import { type Contracts, useContracts } from './contracts'
import type { Edit } from './edit'
import { type History, begin, changed, redone, undone } from './history'
import { type Spotted, spotted, tidied } from './model'

export interface Draft {
  text: string
  /** What the text says; what it said last while it cannot be read. */
  document: JsonMap
  graph: Graph
  /** Why the text cannot be read. */
  mistake: Finding | null
  dirty: boolean
  problems: readonly Api.Problem[]
  spots: Spotted
  /** The problems, and the mistake, at their places of the text. */
  findings: Finding[]
  contracts: Contracts
  /** Fields of the inspector whose text is not a value yet keep the page from saving. */
  unread: Unread
  /** Counts how often the draft began anew: the inspector with it, so that what it had not handed over goes too. */
  round: number
  /** Undoing leads back. */
  beginAnew: (text: string) => void
  /** `deed` names what is one step of undoing while it goes on. */
  edit: (edit: Edit, deed?: string) => void
  undo: (() => void) | null
  redo: (() => void) | null
}

const Context = createContext<Draft | null>(null)
export const DraftProvider = Context.Provider

export function useDraft(): Draft {
  const draft = useContext(Context)
  if (draft === null) throw new Error('there is no draft here')
  return draft
}

/** The server is asked when nothing has changed for this long. */
const SETTLED_MS = 300
const NOTHING: readonly Api.Problem[] = []

type Action = { kind: 'edit'; edit: Edit; deed?: string; now: number } | { kind: 'undo' } | { kind: 'redo' }

function reduce(history: History, action: Action): History {
  if (action.kind === 'undo') return undone(history)
  if (action.kind === 'redo') return redone(history)
  return changed(history, action.edit(history.present), action.now, action.deed)
}

/** `base` is the document as it is stored; null for one that is not yet. */
export function useNewDraft(initial: string, base: Json | null): Draft {
  const [history, act] = useReducer(reduce, initial, begin)
  const [round, setRound] = useState(0)
  const unread = useUnread()
  const text = history.present
  const reading = useMemo(() => readMembers(text), [text])
  const [lastGood, setLastGood] = useState<JsonMap>(() => reading.value ?? new Map())
  if (reading.value !== null && reading.value !== lastGood) setLastGood(reading.value)
  const document = reading.value ?? lastGood
  // The same graph as long as nothing of it changes, so that typing a prompt does not arrange it anew.
  const drawn = useMemo(() => JSON.stringify(readGraph(document)), [document])
  const graph = useMemo(() => JSON.parse(drawn) as Graph, [drawn])
  const settled = useSettled(document, SETTLED_MS)
  const check = useQuery({ ...checkQuery(tidied(settled)), placeholderData: (before) => before })
  const problems = check.data?.problems ?? NOTHING
  const contracts = useContracts(graph)
  const edit = useCallback((change: Edit, deed?: string) => act({ kind: 'edit', edit: change, deed, now: Date.now() }), [])
  const beginAnew = useCallback(
    (next: string) => {
      edit(() => next)
      setRound((before) => before + 1)
    },
    [edit],
  )
  const { past, future } = history
  return useMemo(
    () => ({
      text,
      document,
      graph,
      mistake: reading.mistake,
      dirty:
        reading.mistake !== null ||
        unread.problems.length > 0 ||
        base === null ||
        !same(tidied(document), isMap(base) ? tidied(base) : base),
      problems,
      spots: spotted(problems),
      findings: reading.mistake === null ? findingsIn(text, { problems: [...problems], lint: [] }, reading.locate) : [reading.mistake],
      contracts,
      unread,
      round,
      beginAnew,
      edit,
      undo: past.length === 0 ? null : () => act({ kind: 'undo' }),
      redo: future.length === 0 ? null : () => act({ kind: 'redo' }),
    }),
    [text, document, graph, reading, base, problems, contracts, unread, round, beginAnew, edit, past, future],
  )
}

function readMembers(text: string) {
  const { value, mistake, locate } = readText(text, 'yaml')
  if (isMap(value ?? undefined)) return { value: value as JsonMap, mistake: null, locate }
  const none: Finding = { from: 0, to: text.length, severity: 'error', message: 'expected an object with name, nodes and edges' }
  return { value: null, mistake: mistake ?? none, locate }
}
