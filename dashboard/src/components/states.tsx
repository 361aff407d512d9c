/** The loading, empty and error states of a page. */
import { CircleAlert, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { askForAnotherKey } from '@/api/access'
import { ApiError, messageOf } from '@/api/error'
import { Command } from './command'
import { Button, Card } from './ui'

export function Loading({ label = 'Loading' }: { label?: string }) {
  return (
    <div role="status" className="flex flex-col gap-2 p-4">
      <span className="sr-only">{label}</span>
      {['w-3/4', 'w-full', 'w-5/6'].map((width) => (
        <div key={width} aria-hidden className={`h-4 animate-pulse rounded bg-hover ${width}`} />
      ))}
    </div>
  )
}

interface EmptyProps {
  title: string
  children?: ReactNode
  /** The exact command to type. */
  command?: string
  action?: ReactNode
}

export function Empty({ title, children, command, action }: EmptyProps) {
  return (
    <div className="mx-auto flex max-w-xl flex-col items-center gap-3 px-4 py-12 text-center">
      <p className="text-[1.07rem] font-semibold">{title}</p>
      {children ? <div className="text-muted">{children}</div> : null}
      {command ? <Command text={command} /> : null}
      {action}
    </div>
  )
}

/** The server's message and error name. For a 403 it offers another key instead of a retry, which would fail again. */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const name = error instanceof ApiError ? error.error : null
  const refused = error instanceof ApiError && error.status === 403
  return (
    <Card role="alert" className="m-auto flex max-w-2xl items-start gap-3 border-danger/40 p-4">
      <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-danger" />
      <div className="min-w-0 flex-1">
        <p className="break-words">{messageOf(error)}</p>
        {name ? <p className="mt-1 text-muted">{name}</p> : null}
      </div>
      {refused ? (
        <Button size="small" onClick={askForAnotherKey}>
          Use another key
        </Button>
      ) : retry ? (
        <Button size="small" onClick={retry}>
          <RotateCw aria-hidden /> Try again
        </Button>
      ) : null}
    </Card>
  )
}

interface QueryLike<T> {
  data: T | undefined
  error: unknown
  refetch: () => unknown
}

/** The data of a query, or its loading or error state. Old data stays visible if a refetch fails, except after a 403. */
export function Answer<T>({ query, children }: { query: QueryLike<T>; children: (data: T) => ReactNode }) {
  const refused = query.error instanceof ApiError && query.error.status === 403
  if (query.data !== undefined && !refused) return children(query.data)
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />
  return <Loading />
}
