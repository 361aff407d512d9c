import { useSyncExternalStore } from 'react'
import type { Direction } from './layout'

/** On narrow screens the graph runs downwards. */
const NARROW = '(width < 48rem)'

function watch(listener: () => void): () => void {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** The direction of a workflow graph, in the editor and in a run. */
export function useDirection(): Direction {
  return useSyncExternalStore(watch, () => window.matchMedia(NARROW).matches) ? 'down' : 'right'
}
