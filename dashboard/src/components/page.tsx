import { type ReactNode, useEffect } from 'react'
import { cn } from '@/lib/cn'

interface Props {
  title: string
  /** Shown instead of the title if it is more than text. */
  heading?: ReactNode
  /** At the end of the heading's row. */
  actions?: ReactNode
  /** Below the heading. */
  lead?: ReactNode
  /** Fills the height of the window; parts of the page scroll by themselves. */
  fill?: boolean
  children: ReactNode
}

/** A page with its heading and document title. */
export function Page({ title, heading, actions, lead, fill, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Accord`
  }, [title])
  return (
    <div className={cn('mx-auto flex w-full max-w-[100rem] flex-col gap-4 p-4 lg:px-6', fill && 'min-h-0 flex-1')}>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="flex flex-wrap items-center gap-2 text-[1.4rem] leading-tight font-semibold tracking-tight">
            {heading ?? title}
          </h1>
          {lead ? <div className="mt-0.5 text-muted">{lead}</div> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </div>
      {children}
    </div>
  )
}
