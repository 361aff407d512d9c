import { useQuery } from '@tanstack/react-query'
import type { Api } from '@/api'
import { InertText } from '@/components/inert-text'
import { Badge, Card, CardHeader, StatusBadge } from '@/components/ui'
import { count, duration } from '@/lib/format'
import { plain } from '@/lib/inert'
import { isExtracted } from '@/lib/run-facts'
import { attemptsQuery } from './api'

/** All attempts of a run with their outcome and errors, live. */
export function Attempts({ run }: { run: string }) {
  const { data } = useQuery(attemptsQuery(run))
  const attempts = data?.items ?? []
  if (attempts.length === 0) return null
  return (
    <Card aria-labelledby="tried-attempts">
      <CardHeader title="Attempts" id="tried-attempts" />
      <ol className="divide-y">
        {attempts.map((attempt) => (
          <Attempt key={`${attempt.delivery}.${attempt.number}`} attempt={attempt} />
        ))}
      </ol>
    </Card>
  )
}

function Attempt({ attempt }: { attempt: Api.Attempt }) {
  const errors = attempt.errors ?? []
  const tokens = attempt.usage?.output_tokens ?? 0
  return (
    <li className="flex flex-col gap-1.5 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">Attempt {attempt.number}</span>
        <StatusBadge status={attempt.outcome} />
        <span className="text-muted">
          {attempt.strategy}
          {attempt.model === '' ? '' : ` · ${plain(attempt.model)}`} · {count(tokens)} tokens · {duration(attempt.duration_ms)}
        </span>
        {isExtracted(attempt.source) ? <Badge tone="warning">source: {attempt.source}</Badge> : null}
      </div>
      {errors.length > 0 ? (
        <ul className="flex flex-col gap-1">
          {errors.map((error, index) => (
            <li key={index} className="[overflow-wrap:anywhere]">
              <code className="font-semibold text-danger">{plain(error.path)}</code> {plain(error.message)}
            </li>
          ))}
          {attempt.more_errors ? <li className="text-muted">and {attempt.more_errors} more</li> : null}
        </ul>
      ) : null}
      {(attempt.repairs ?? []).map((repair, index) => (
        <Badge key={index} tone="warning" title={plain(repair.detail)} className="w-fit">
          repaired: {plain(repair.kind)} {plain(repair.path)}
        </Badge>
      ))}
      {attempt.text === '' ? null : (
        <details>
          <summary className="w-fit text-muted">Model output</summary>
          <div tabIndex={0} role="region" aria-label={`Answer ${attempt.number}`} className="mt-1 max-h-72 overflow-auto rounded-md bg-sunken px-3 py-2">
            <InertText text={attempt.text} />
          </div>
        </details>
      )}
    </li>
  )
}
