import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { cn } from '@/lib/cn'
import { Button } from './button'

interface Props {
  open: boolean
  onClose: () => void
  title: ReactNode
  children: ReactNode
  className?: string
}

/** Fields that can get the initial focus. Radio buttons switch between views and are not included. */
const FIELDS = 'input:not(:disabled, [type=radio]), select:not(:disabled), textarea:not(:disabled)'

/**
 * The browser's own dialog: it traps the focus, closes on Escape and makes the rest inert. By default it would focus the
 * close button, so focus the first field instead, if there is one.
 */
export function Dialog({ open, onClose, title, children, className }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    if (dialog === null) return
    if (open && !dialog.open) {
      dialog.showModal()
      dialog.querySelector<HTMLElement>(FIELDS)?.focus()
    }
    if (!open && dialog.open) dialog.close()
  }, [open])
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onClose={onClose}
      className={cn(
        'm-auto w-[min(36rem,calc(100vw-2rem))] rounded-card border bg-raised p-0 text-ink shadow-2xl',
        className,
      )}
    >
      {open ? (
        <>
          <header className="flex items-center justify-between gap-2 border-b py-2 pr-2 pl-4">
            <h2 id={id} className="text-[1.07rem] font-semibold">
              {title}
            </h2>
            <Button variant="ghost" size="icon" aria-label="Close" onClick={onClose}>
              <X aria-hidden />
            </Button>
          </header>
          <div className="p-4">{children}</div>
        </>
      ) : null}
    </dialog>
  )
}

interface ConfirmProps {
  open: boolean
  onClose: () => void
  title: ReactNode
  children: ReactNode
  /** The label of the confirm button: the action itself, not "OK". */
  confirmLabel: string
  busy?: boolean
  /** Why the action failed. */
  error?: ReactNode
  onConfirm: () => void
}

export function Confirm({ open, onClose, title, children, confirmLabel, busy, error, onConfirm }: ConfirmProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <div className="flex flex-col gap-3">
        <div>{children}</div>
        {error ? (
          <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
            {error}
          </p>
        ) : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" disabled={busy} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
