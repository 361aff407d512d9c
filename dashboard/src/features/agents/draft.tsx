/** The blueprint that is being edited, for all tabs of the page. */
import { useQuery } from '@tanstack/react-query'
import { createContext, useCallback, useContext, useMemo, useState } from 'react'
import type { Api } from '@/api'
import { type Unread, useUnread } from '@/components/unread'
import { useSettled } from '@/lib/debounce'
import { type Json, type JsonMap, isMap, same, withAt } from '@/lib/lossless'
import { checkQuery } from './api'
import { problemAt, tidied } from './model'

export interface Draft {
  blueprint: JsonMap
  /** As it is stored; null for one that is not yet. */
  base: Json | null
  /** Whether something is not saved; a text that is no value yet is not. */
  dirty: boolean
  set: (path: readonly string[], value: Json | undefined) => void
  replace: (blueprint: JsonMap) => void
  problems: readonly Api.Problem[]
  /** What to say at a place. */
  problem: (...place: string[]) => string | undefined
  /** Marks the name as missing; null if there is one. */
  askForName: (() => void) | null
  /** Fields whose text is not a value yet keep the page from saving. */
  unread: Unread
  /** Counts how often the draft began anew: editors with it, so that what they had not handed over goes too. */
  round: number
  beginAnew: (blueprint: JsonMap) => void
  /** What was sent is stored as this now. What was typed since stays. */
  settle: (sent: JsonMap, stored: JsonMap) => void
}

const Context = createContext<Draft | null>(null)
export const DraftProvider = Context.Provider

export function useDraft(): Draft {
  const draft = useContext(Context)
  if (draft === null) throw new Error('there is no draft here')
  return draft
}

/** The server is asked when somebody has stopped typing for this long. */
const SETTLED_MS = 400
const NOTHING: readonly Api.Problem[] = []

export function useNewDraft(initial: JsonMap, base: Json | null): Draft {
  const [blueprint, replace] = useState(initial)
  const [round, setRound] = useState(0)
  const unread = useUnread()
  const settled = useSettled(blueprint, SETTLED_MS)
  const check = useQuery({ ...checkQuery(tidied(settled)), placeholderData: (before) => before })
  // A name that nobody has typed yet is not wrong, until somebody wants to create the agent without one.
  const unnamed = base === null && blueprint.get('name') === ''
  const [nameAsked, askForName] = useState(false)
  const found = check.data?.problems ?? NOTHING
  const problems = useMemo(() => (unnamed ? found.filter(({ path }) => path !== '$.name') : found), [unnamed, found])
  const set = useCallback(
    (path: readonly string[], value: Json | undefined) => replace((current) => withAt(current, path, value)),
    [],
  )
  const beginAnew = useCallback((next: JsonMap) => {
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
      problem: (...place) => (unnamed && nameAsked && place.join() === 'name' ? 'Enter a name' : problemAt(problems, place)?.message),
      askForName: unnamed ? () => askForName(true) : null,
      unread,
      round,
      beginAnew,
      settle,
    }),
    [blueprint, base, set, problems, unnamed, nameAsked, unread, round, beginAnew, settle],
  )
}
