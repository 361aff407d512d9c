import { useSyncExternalStore } from 'react'
import type { Direction } from './layout'

/** Ranks go down if there is no room for them side by side. */
const NARROW = '(width < 48rem)'

function watch(listener: () => void): () => void {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** The direction of every drawing of a workflow, in the editor and in a run. */
export function useDirection(): Direction {
  return useSyncExternalStore(watch, () => window.matchMedia(NARROW).matches) ? 'down' : 'right'
}
