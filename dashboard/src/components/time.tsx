import { useEffect, useState, useSyncExternalStore } from 'react'
import { ago, between, moment } from '@/lib/format'

/** One clock for all components. It ticks every ten seconds while it has subscribers. */
const TICK_MS = 10_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | null = null

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0 && timer !== null) {
      clearInterval(timer)
      timer = null
    }
  }
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** A relative time with the exact time on hover. */
export function Ago({ at }: { at: string }) {
  const current = useNow()
  return (
    <time dateTime={at} title={moment(at)} className="whitespace-nowrap">
      {ago(at, Math.max(current, Date.now()))}
    </time>
  )
}

const SECOND_MS = 1_000

interface ElapsedProps {
  from: string | null | undefined
  to: string | null | undefined
}

/** The elapsed time; it counts while there is no end time. A dash if there is no start time. */
export function Elapsed({ from, to }: ElapsedProps) {
  const [current, setCurrent] = useState(() => Date.now())
  useEffect(() => {
    if (to || !from) return
    const ticking = setInterval(() => setCurrent(Date.now()), SECOND_MS)
    return () => clearInterval(ticking)
  }, [from, to])
  return <span className="tabular-nums">{between(from, to ?? new Date(current).toISOString())}</span>
}
