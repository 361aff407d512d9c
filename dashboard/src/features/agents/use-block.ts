import { useCallback } from 'react'
import { useDraft } from './draft'

/** Tells the page that an editor's text is not a value yet. Stays the same function between renders. */
export function useBlock(editor: string): (problems: string[]) => void {
  const { block } = useDraft()
  return useCallback((problems: string[]) => block(editor, problems), [block, editor])
}
