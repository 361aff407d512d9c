import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, Info, ShieldCheck } from 'lucide-react'
import type { Api } from '@/api'
import { Fact } from '@/components/fact'
import { RequestedBy } from '@/components/requested-by'
import { Elapsed } from '@/components/time'
import { Card, StatusBadge } from '@/components/ui'
import { cn } from '@/lib/cn'
import { count, dollars, exactCount } from '@/lib/format'
import { plain } from '@/lib/inert'
import type { Tone } from '@/lib/status'
import { attemptsQuery } from './api'
import { endedOtherwise, failureOf, verdictOf, requiredRunner } from './model'

const TONES: Record<Tone, { className: string; icon: typeof Info }> = {
  success: { className: 'border-success/40 bg-success-soft text-success', icon: CircleCheck },
  danger: { className: 'border-danger/40 bg-danger-soft text-danger', icon: CircleAlert },
  info: { className: 'border-info/40 bg-info-soft text-info', icon: ShieldCheck },
  warning: { className: 'border-warning/40 bg-warning-soft text-warning', icon: CircleAlert },
  neutral: { className: 'bg-surface text-muted', icon: Info },
}

/** Whether the output matched the contract, and the cost and duration of the run. */
export function RunSummary({ run }: { run: Api.RunView }) {
  return (
    <div className="flex flex-col gap-3 xl:flex-row">
      <Verdict run={run} />
      <Card className="flex-1 px-4 py-2.5">
        <dl className="flex flex-wrap gap-x-6 gap-y-2">
          <Fact label="Run">
            <StatusBadge status={run.status} />
          </Fact>
          <Fact label="Tokens">
            <span title={`${exactCount(run.usage.input_tokens)} input, ${exactCount(run.usage.output_tokens)} output tokens`}>
              {count(run.usage.input_tokens)} in · {count(run.usage.output_tokens)} out
            </span>
          </Fact>
          <Fact label="Cost">{dollars(run.usage.cost_usd)}</Fact>
          <Fact label="Queued">
            <Elapsed from={run.created_at} to={run.claimed_at ?? run.finished_at} />
          </Fact>
          {run.status === 'pending' ? (
            <Fact label="Waiting for">
              <Link to="/runners" className="underline [overflow-wrap:anywhere]">
                {plain(requiredRunner(run.demands))}
              </Link>
            </Fact>
          ) : (
            <Fact label="Duration">
              <Elapsed from={run.started_at} to={run.finished_at} />
            </Fact>
          )}
          <Models run={run} />
          <RequestedBy by={run.requested_by} />
          {run.attempt > 1 ? <Fact label="Deliveries">{run.attempt}</Fact> : null}
        </dl>
      </Card>
    </div>
  )
}

/** The models that answered; more than one if fallback models were used. */
function Models({ run }: { run: Api.RunView }) {
  const { data } = useQuery(attemptsQuery(run.run_id))
  const models = [...new Set((data?.items ?? []).map(({ model }) => model).filter((model) => model !== ''))]
  if (models.length === 0) return null
  return <Fact label={models.length === 1 ? 'Model' : 'Models'}>{plain(models.join(', '))}</Fact>
}

/** A stopped run is neutral. A run that failed for another reason than its contract is a warning. */
function toneOf(run: Api.RunView, verdict: { tone: Tone } | null): Tone {
  if (run.status === 'stopped') return 'neutral'
  return verdict === null || verdict.tone === 'neutral' ? 'warning' : verdict.tone
}

function Verdict({ run }: { run: Api.RunView }) {
  const attempts = useQuery({ ...attemptsQuery(run.run_id), enabled: endedOtherwise(run) })
  const verdict = verdictOf(run, attempts.data?.items)
  const failure = failureOf(run)
  if (verdict === null && failure === null) return null
  const { className, icon: Icon } = TONES[toneOf(run, verdict)]
  return (
    <section
      aria-label="Contract"
      className={cn('flex min-w-0 flex-1 gap-3 rounded-card border px-4 py-2.5', className)}
    >
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="min-w-0">
        <p className="font-semibold">{verdict?.title ?? (run.status === 'stopped' ? 'Run stopped' : 'Run failed')}</p>
        {failure ? (
          <p className="text-ink [overflow-wrap:anywhere]">
            {plain(failure.message)} <span className="text-muted">({failure.type})</span>
          </p>
        ) : null}
        {verdict?.retries ? <p className="text-ink">{verdict.retries}</p> : null}
        {verdict && verdict.errors.length > 0 ? (
          <ul className="mt-1 list-disc pl-5 text-ink">
            {verdict.errors.map((error) => (
              <li key={error} className="[overflow-wrap:anywhere]">
                <code>{plain(error)}</code>
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </section>
  )
}
