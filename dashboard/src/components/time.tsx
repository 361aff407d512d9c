import { useSyncExternalStore } from 'react'
import { ago } from '@/lib/format'

/** One clock for all: ticks every ten seconds while somebody looks at it. */
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

/** How long ago; the exact time on hover. */
export function Ago({ at }: { at: string }) {
  const current = useNow()
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} className="whitespace-nowrap">
      {ago(at, Math.max(current, Date.now()))}
    </time>
  )
}
