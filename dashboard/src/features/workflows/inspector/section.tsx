import type { ReactNode } from 'react'

/** A section of the inspector. */
export function Section({ title, actions, children }: { title: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-3 border-t px-4 py-3">
      <div className="flex min-h-7 items-center justify-between gap-2">
        <h3 className="font-semibold whitespace-nowrap">{title}</h3>
        {actions}
      </div>
      {children}
    </section>
  )
}
