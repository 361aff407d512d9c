/** Counts editors with unsaved changes, so that signing out can ask first. */
import { useEffect } from 'react'
import { observable } from './observable'

/** The number of editors with unsaved changes. */
export const unsaved = observable(0)

export function useUnsaved(changed: boolean): void {
  useEffect(() => {
    if (!changed) return
    unsaved.set(unsaved.get() + 1)
    return () => unsaved.set(unsaved.get() - 1)
  }, [changed])
}
