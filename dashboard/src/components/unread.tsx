/**
 * Fields whose text is not a valid value report it here, so that the save and submit buttons can be disabled: the text on
 * the screen is not what would be sent.
 */
import { createContext, useCallback, useContext, useEffect, useId, useMemo, useState } from 'react'

type Report = (field: string, problem: string | null) => void

const Context = createContext<Report>(() => undefined)
export const UnreadProvider = Context.Provider

export interface Unread {
  /** One message for each invalid field. */
  problems: readonly string[]
  /** Passed to the provider. Stable between renders. */
  report: Report
}

const NONE: ReadonlyMap<string, string> = new Map()

/** Collects the problems that fields inside its provider report. */
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

/** Shown next to a disabled button: why it is disabled. */
export function NotYet({ reasons }: { reasons: readonly string[] }) {
  return (
    <p role="status" className="min-w-0 text-warning [overflow-wrap:anywhere] empty:hidden">
      {reasons.length === 0 ? null : `Fix first: ${reasons.join('; ')}`}
    </p>
  )
}

/** Reports why a field's text is invalid; null if it is valid. The problem is removed when the field unmounts. */
export function useReport(problem: string | null): void {
  const report = useContext(Context)
  const field = useId()
  useEffect(() => {
    report(field, problem)
    return () => report(field, null)
  }, [report, field, problem])
}
