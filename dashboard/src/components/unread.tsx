/**
 * Texts that are no value yet. What such a field shows is not what would be sent, so whoever sends or saves waits: fields
 * report here why they cannot be read, and buttons look.
 */
import { createContext, useCallback, useContext, useEffect, useId, useMemo, useState } from 'react'

type Report = (field: string, problem: string | null) => void

const Context = createContext<Report>(() => undefined)
export const UnreadProvider = Context.Provider

export interface Unread {
  /** Why fields cannot be read; empty where all can. */
  problems: readonly string[]
  /** For the provider. Stays the same function between renders. */
  report: Report
}

const NONE: ReadonlyMap<string, string> = new Map()

/** Collects what the fields inside of its provider report. */
export function useUnread(): Unread {
  const [known, setKnown] = useState(NONE)
  const report = useCallback((field: string, problem: string | null) => {
    setKnown((current) => {
      if ((current.get(field) ?? null) === problem) return current
      const next = new Map(current)
      if (problem === null) next.delete(field)
      else next.set(field, problem)
      return next
    })
  }, [])
  return useMemo(() => ({ problems: [...known.values()], report }), [known, report])
}

/** Beside a button that waits: why it does. */
export function NotYet({ reasons }: { reasons: readonly string[] }) {
  return (
    <p role="status" className="min-w-0 text-warning [overflow-wrap:anywhere] empty:hidden">
      {reasons.length === 0 ? null : `Fix first: ${reasons.join('; ')}`}
    </p>
  )
}

/** Says of a field why its text cannot be read; null where it can. A field that goes takes its problem along. */
export function useReport(problem: string | null): void {
  const report = useContext(Context)
  const field = useId()
  useEffect(() => {
    report(field, problem)
    return () => report(field, null)
  }, [report, field, problem])
}
