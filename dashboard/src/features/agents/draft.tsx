/** The blueprint that is being edited, for all tabs of the page. */
import { useQuery } from '@tanstack/react-query'
import { createContext, useCallback, useContext, useMemo, useState } from 'react'
import type { Api } from '@/api'
import { useSettled } from '@/lib/debounce'
import { type Json, type JsonMap, isMap, same, withAt } from '@/lib/lossless'
import { checkQuery } from './api'
import { problemAt, tidied } from './model'

export interface Draft {
  blueprint: JsonMap
  /** As it is stored; null for one that is not yet. */
  base: Json | null
  dirty: boolean
  set: (path: readonly string[], value: Json | undefined) => void
  replace: (blueprint: JsonMap) => void
  problems: readonly Api.Problem[]
  /** What to say at a place. */
  problem: (...place: string[]) => string | undefined
  /** Editors whose text is not a value yet keep the page from saving; by the editor's name. */
  block: (editor: string, problems: string[]) => void
  blocked: readonly string[]
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
  const [blocks, setBlocks] = useState<Record<string, string[]>>({})
  const settled = useSettled(blueprint, SETTLED_MS)
  const check = useQuery({ ...checkQuery(tidied(settled)), placeholderData: (before) => before })
  const problems = check.data?.problems ?? NOTHING
  const set = useCallback(
    (path: readonly string[], value: Json | undefined) => replace((current) => withAt(current, path, value)),
    [],
  )
  const block = useCallback((editor: string, found: string[]) => {
    setBlocks((current) => {
      const before = current[editor] ?? []
      return before.join('\n') === found.join('\n') ? current : { ...current, [editor]: found }
    })
  }, [])
  return useMemo(
    () => ({
      blueprint,
      base,
      dirty: base === null || !same(tidied(blueprint), isMap(base) ? tidied(base) : base),
      set,
      replace,
      problems,
      problem: (...place) => problemAt(problems, place)?.message,
      block,
      blocked: Object.values(blocks).flat(),
    }),
    [blueprint, base, set, problems, block, blocks],
  )
}
