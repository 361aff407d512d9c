/** The blueprint that is being edited, shared by all tabs of the page. */
import { useQuery } from '@tanstack/react-query'
import { createContext, useCallback, useContext, useMemo, useState } from 'react'
import type { Api } from '@/api'
import { type Unread, useUnread } from '@/components/unread'
import { useDebounced } from '@/lib/debounce'
import { type Json, type JsonMap, isMap, same, withAt } from '@/lib/lossless'
import { checkQuery } from './api'
import { problemAt, tidied } from './model'

export interface Draft {
  blueprint: JsonMap
  /** The stored blueprint; null for a new agent. */
  base: Json | null
  /** Whether there are unsaved changes, including invalid text. */
  dirty: boolean
  set: (path: readonly string[], value: Json | undefined) => void
  replace: (blueprint: JsonMap) => void
  problems: readonly Api.Problem[]
  /** The error message at a path. */
  problem: (...path: string[]) => string | undefined
  /** Marks the name as missing; null if it is set. */
  askForName: (() => void) | null
  /** Fields with invalid text prevent saving. */
  unread: Unread
  /** The number of resets. Used as a key, so that a reset remounts the editors and discards their invalid text. */
  round: number
  reset: (blueprint: JsonMap) => void
  /** Replaces the draft with the stored version after a save, unless the user has typed since. */
  settle: (sent: JsonMap, stored: JsonMap) => void
}

const Context = createContext<Draft | null>(null)
export const DraftProvider = Context.Provider

export function useDraft(): Draft {
  const draft = useContext(Context)
  if (draft === null) throw new Error('there is no draft here')
  return draft
}

/** The server validates the blueprint after this pause in typing. */
const DEBOUNCE_MS = 400
const NOTHING: readonly Api.Problem[] = []

export function useNewDraft(initial: JsonMap, base: Json | null): Draft {
  const [blueprint, replace] = useState(initial)
  const [round, setRound] = useState(0)
  const unread = useUnread()
  const settled = useDebounced(blueprint, DEBOUNCE_MS)
  const check = useQuery({ ...checkQuery(tidied(settled)), placeholderData: (before) => before })
  // An empty name of a new agent is not an error until the user tries to create the agent.
  const unnamed = base === null && blueprint.get('name') === ''
  const [nameAsked, askForName] = useState(false)
  const found = check.data?.problems ?? NOTHING
  const problems = useMemo(() => (unnamed ? found.filter(({ path }) => path !== '$.name') : found), [unnamed, found])
  const set = useCallback(
    (path: readonly string[], value: Json | undefined) => replace((current) => withAt(current, path, value)),
    [],
  )
  const reset = useCallback((next: JsonMap) => {
    replace(next)
    setRound((before) => before + 1)
  }, [])
  const settle = useCallback(
    (sent: JsonMap, stored: JsonMap) => replace((current) => (current === sent ? stored : current)),
    [],
  )
  return useMemo(
    () => ({
      blueprint,
      base,
      dirty: unread.problems.length > 0 || base === null || !same(tidied(blueprint), isMap(base) ? tidied(base) : base),
      set,
      replace,
      problems,
      problem: (...path) => (unnamed && nameAsked && path.join() === 'name' ? 'Enter a name' : problemAt(problems, path)?.message),
      askForName: unnamed ? () => askForName(true) : null,
      unread,
      round,
      reset,
      settle,
    }),
    [blueprint, base, set, problems, unnamed, nameAsked, unread, round, reset, settle],
  )
}
