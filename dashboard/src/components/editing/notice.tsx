import { CircleAlert, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Api, ApiError } from '@/api'

/** A warning or an error above an editor. */
export function Notice({ tone, children }: { tone: 'warning' | 'danger'; children: ReactNode }) {
  const Icon = tone === 'danger' ? CircleAlert : TriangleAlert
  const colours = tone === 'danger' ? 'bg-danger-soft text-danger' : 'bg-warning-soft text-warning'
  return (
    <div role="alert" className={`flex items-start gap-2 rounded-md px-3 py-2 ${colours}`}>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="flex min-w-0 flex-1 flex-col items-start gap-1.5">{children}</div>
    </div>
  )
}

/** The validation problems in an error response. */
export function problemsIn(error: Error): Api.Problem[] {
  const details = error instanceof ApiError ? (error.details as { problems?: Api.Problem[] } | null | undefined) : null
  return details?.problems ?? []
}

/** Whether an error is about the content that was sent, so that it is outdated after the next edit. */
export function isAboutSent(error: unknown): boolean {
  return error instanceof ApiError && [400, 409].includes(error.status) && !error.error.endsWith('ReadOnly')
}

/** Whether somebody else saved first. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.error === 'PreconditionFailed'
}
