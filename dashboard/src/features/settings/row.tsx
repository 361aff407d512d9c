import type { ReactNode } from 'react'

export function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <span className="w-28 text-muted">{label}</span>
      <span>{children}</span>
    </div>
  )
}
