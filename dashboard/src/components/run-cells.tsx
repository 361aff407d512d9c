/** Cells of lists of runs and sessions. Lists of the server leave out inputs, so each row in view asks for its run. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { Api } from '@/api'
import { runQuery } from '@/api/queries'
import { plain } from '@/lib/inert'
import { previewOf } from '@/lib/run-facts'

/** Rows that are only scrolled past ask for nothing. */
const STILL_MS = 150

function useRun(runId: string): Api.RunView | undefined {
  const [still, setStill] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setStill(true), STILL_MS)
    return () => clearTimeout(timer)
  }, [])
  return useQuery({ ...runQuery(runId), enabled: still }).data
}

/** The beginning of a run's input. */
export function InputPreview({ runId }: { runId: string }) {
  const text = plain(previewOf(useRun(runId)?.parameters))
  return (
    <span className="text-muted" title={text}>
      {text}
    </span>
  )
}

/** Something about a run that is known only by its id. */
export function OfRun({ runId, children }: { runId: string; children: (run: Api.RunView) => ReactNode }) {
  const run = useRun(runId)
  return run === undefined ? null : children(run)
}

/** Whether a text has all words of a search, in any order. */
export function matchesWords(text: string, wanted: string): boolean {
  const lower = text.toLowerCase()
  return wanted.toLowerCase().split(/\s+/).every((word) => lower.includes(word))
}

/** Of the items that are loaded, those that match a search by their own text or by their run's input. */
export function useFound<T>(items: T[], wanted: string | undefined, of: (item: T) => { run: string; text: string }): T[] {
  const runs = useQueries({ queries: wanted === undefined ? [] : items.map((item) => runQuery(of(item).run)) })
  if (wanted === undefined) return items
  return items.filter((item, index) => {
    const run = runs[index]?.data
    return matchesWords(`${of(item).text} ${run?.error?.message ?? ''} ${JSON.stringify(run?.parameters ?? '')}`, wanted)
  })
}
