/** The workflow that is being edited, shared by all parts of the page: its text and everything derived from it. */
import { useQuery } from '@tanstack/react-query'
import { createContext, useCallback, useContext, useMemo, useReducer, useState } from 'react'
import type { Api } from '@/api'
import type { Finding } from '@/components/code'
import { type Graph, readGraph } from '@/components/graph'
import { findingsIn } from '@/components/schema/findings'
import { readText } from '@/components/schema/text'
import { type Unread, useUnread } from '@/components/unread'
import { useDebounced } from '@/lib/debounce'
import { type Json, type JsonMap, isMap, same } from '@/lib/lossless'
import { checkQuery } from './api'
import { type Contracts, useContracts } from './contracts'
import type { Edit } from './edit'
import { type History, newHistory, pushed, redone, undone } from './history'
import { type ProblemsByTarget, groupProblems, tidied } from './model'

export interface Draft {
  text: string
  /** The parsed text, or the last valid version while the text is invalid. */
  document: JsonMap
  graph: Graph
  /** Why the text is invalid. */
  mistake: Finding | null
  dirty: boolean
  problems: readonly Api.Problem[]
  problemsBy: ProblemsByTarget
  /** The problems and the syntax error, located in the text. */
  findings: Finding[]
  contracts: Contracts
  /** Fields of the inspector with invalid text prevent saving. */
  unread: Unread
  /** The number of resets. Used as a key, so that a reset remounts the inspector and discards its invalid text. */
  round: number
  /** Replaces the text. Can be undone. */
  reset: (text: string) => void
  /** Consecutive edits with the same `group` are one undo step. */
  edit: (edit: Edit, group?: string) => void
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

/** The server validates the workflow after this pause in editing. */
const DEBOUNCE_MS = 300
const NOTHING: readonly Api.Problem[] = []

type Action = { kind: 'edit'; edit: Edit; group?: string; now: number } | { kind: 'undo' } | { kind: 'redo' }

function reduce(history: History, action: Action): History {
  if (action.kind === 'undo') return undone(history)
  if (action.kind === 'redo') return redone(history)
  return pushed(history, action.edit(history.present), action.now, action.group)
}

/** `base` is the stored document; null for a new workflow. */
export function useNewDraft(initial: string, base: Json | null): Draft {
  const [history, act] = useReducer(reduce, initial, newHistory)
  const [round, setRound] = useState(0)
  const unread = useUnread()
  const text = history.present
  const reading = useMemo(() => readMembers(text), [text])
  const [lastGood, setLastGood] = useState<JsonMap>(() => reading.value ?? new Map())
  if (reading.value !== null && reading.value !== lastGood) setLastGood(reading.value)
  const document = reading.value ?? lastGood
  // The same object while the graph does not change, so that typing a prompt does not lay it out again.
  const graphText = useMemo(() => JSON.stringify(readGraph(document)), [document])
  const graph = useMemo(() => JSON.parse(graphText) as Graph, [graphText])
  const settled = useDebounced(document, DEBOUNCE_MS)
  const check = useQuery({ ...checkQuery(tidied(settled)), placeholderData: (before) => before })
  const problems = check.data?.problems ?? NOTHING
  const contracts = useContracts(graph)
  const edit = useCallback((change: Edit, group?: string) => act({ kind: 'edit', edit: change, group, now: Date.now() }), [])
  const reset = useCallback(
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
      problemsBy: groupProblems(problems),
      findings: reading.mistake === null ? findingsIn(text, { problems: [...problems], lint: [] }, reading.locate) : [reading.mistake],
      contracts,
      unread,
      round,
      reset,
      edit,
      undo: past.length === 0 ? null : () => act({ kind: 'undo' }),
      redo: future.length === 0 ? null : () => act({ kind: 'redo' }),
    }),
    [text, document, graph, reading, base, problems, contracts, unread, round, reset, edit, past, future],
  )
}

function readMembers(text: string) {
  const { value, mistake, locate } = readText(text, 'yaml')
  if (isMap(value ?? undefined)) return { value: value as JsonMap, mistake: null, locate }
  const none: Finding = { from: 0, to: text.length, severity: 'error', message: 'expected an object with name, nodes and edges' }
  return { value: null, mistake: mistake ?? none, locate }
}
