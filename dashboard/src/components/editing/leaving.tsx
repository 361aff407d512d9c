import { useBlocker } from '@tanstack/react-router'
import { Confirm } from '@/components/ui'
import { useUnsaved } from '@/lib/unsaved'

/** Asks before somebody leaves a page with something that is not saved. */
export function Leaving({ changed }: { changed: boolean }) {
  useUnsaved(changed)
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => changed && current.pathname !== next.pathname,
    enableBeforeUnload: () => changed,
    withResolver: true,
  })
  return (
    <Confirm
      open={leaving.status === 'blocked'}
      onClose={() => leaving.reset?.()}
      title="Leave without saving?"
      deed="Leave"
      onConfirm={() => leaving.proceed?.()}
    >
      Your unsaved changes will be lost.
    </Confirm>
  )
}
