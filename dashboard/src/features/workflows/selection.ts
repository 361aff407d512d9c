/** What is looked at in the editor. It lives in the address, so that a link leads to a node. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { createContext, useCallback, useContext } from 'react'

interface Address {
  as?: string
  /** A node's id. */
  node?: string
  /** An edge's place in the list. */
  edge?: number
  /** Whether the form for a run is open. */
  starting?: boolean
  /** The workflow run whose input that form begins with. */
  run?: string
}

export type View = 'graph' | 'yaml'

/** Says whether what is selected stays, and why, to whoever wants to select something else. */
const Hold = createContext<() => boolean>(() => false)
export const HoldProvider = Hold.Provider

export function useLook() {
  const { as, node, edge, starting, run }: Address = useSearch({ strict: false })
  const navigate = useNavigate()
  const go = useCallback(
    (next: Address) =>
      void navigate({ to: '.', search: (before: Address) => ({ ...before, ...next }), replace: true, resetScroll: false }),
    [navigate],
  )
  const isHeld = useContext(Hold)
  const select = useCallback(
    (what: { node?: string; edge?: number }) => {
      if (!isHeld()) go({ node: what.node, edge: what.edge })
    },
    [go, isHeld],
  )
  /** For what is selected no more because it is gone, with all that was typed there. */
  const drop = useCallback(() => go({ node: undefined, edge: undefined }), [go])
  const show = useCallback((view: View) => go({ as: view === 'graph' ? undefined : view }), [go])
  const view: View = as === 'yaml' ? 'yaml' : 'graph'
  return { view, node, edge, starting: starting === true, run, go, select, drop, show }
}
