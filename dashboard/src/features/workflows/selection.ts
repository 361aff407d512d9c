/** The selection and the view of the editor. They are in the URL, so that a link can point to a node. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { createContext, useCallback, useContext } from 'react'

interface EditorSearch {
  as?: string
  /** A node's id. */
  node?: string
  /** An edge's index in the list. */
  edge?: number
  /** Whether the form for a run is open. */
  starting?: boolean
  /** The workflow run whose input fills that form. */
  run?: string
}

export type View = 'graph' | 'yaml'

/** Returns whether the selection must not change now, and tells the user why. */
const SelectionGuard = createContext<() => boolean>(() => false)
export const SelectionGuardProvider = SelectionGuard.Provider

export function useSelection() {
  const { as, node, edge, starting, run }: EditorSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const go = useCallback(
    (next: EditorSearch) =>
      void navigate({ to: '.', search: (before: EditorSearch) => ({ ...before, ...next }), replace: true, resetScroll: false }),
    [navigate],
  )
  const isBlocked = useContext(SelectionGuard)
  const select = useCallback(
    (what: { node?: string; edge?: number }) => {
      if (!isBlocked()) go({ node: what.node, edge: what.edge })
    },
    [go, isBlocked],
  )
  /** Clears the selection after the selected node or edge was removed, even if its fields are invalid. */
  const clear = useCallback(() => go({ node: undefined, edge: undefined }), [go])
  const show = useCallback((view: View) => go({ as: view === 'graph' ? undefined : view }), [go])
  const view: View = as === 'yaml' ? 'yaml' : 'graph'
  return { view, node, edge, starting: starting === true, run, go, select, clear, show }
}
