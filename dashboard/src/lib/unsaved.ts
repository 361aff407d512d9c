/** Whether something on the page is not saved, for those outside of it who would end it. */
import { useEffect } from 'react'
import { observable } from './observable'

/** How many editors have something that is not saved. */
export const unsaved = observable(0)

export function useUnsaved(changed: boolean): void {
  useEffect(() => {
    if (!changed) return
    unsaved.set(unsaved.get() + 1)
    return () => unsaved.set(unsaved.get() - 1)
  }, [changed])
}
