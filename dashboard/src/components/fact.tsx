import type { ReactNode } from 'react'

/** A name and a value of a list of facts (`dl`). */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-[0.86rem] text-muted">{label}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  )
}
