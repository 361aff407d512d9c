import type { ReactNode } from 'react'

/** A label and a value inside a `dl`. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-[0.86rem] text-muted">{label}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  )
}
