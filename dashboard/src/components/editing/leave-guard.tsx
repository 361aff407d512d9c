import { useBlocker } from '@tanstack/react-router'
import { Confirm } from '@/components/ui'
import { useUnsaved } from '@/lib/unsaved'

/** Asks for confirmation before leaving a page with unsaved changes. */
export function LeaveGuard({ changed }: { changed: boolean }) {
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
      confirmLabel="Leave"
      onConfirm={() => leaving.proceed?.()}
    >
      Your unsaved changes will be lost.
    </Confirm>
  )
}
