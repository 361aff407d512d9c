import type { Api } from '@/api'
import { cn } from '@/lib/cn'
import { count, dollars, duration, percent, plural } from '@/lib/format'

/** The key figures. */
export function Figures({ row }: { row: Api.StatsRow }) {
  const tokens = row.input_tokens + row.output_tokens
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      <Figure label="Success" value={percent(row.success_rate)} note={`${count(row.completed)} of ${plural(row.runs, 'run')}`} tone="text-success" />
      <Figure label="First attempt" value={percent(row.first_try_rate)} note={`${count(row.after_retry)} after a retry`} tone="text-accent" />
      <Figure
        label="Failure"
        value={percent(row.failure_rate)}
        note={`${count(row.contract_failed)} failed validation`}
        tone={row.failed > 0 ? 'text-danger' : undefined}
      />
      <Figure label="Tokens" value={count(tokens)} note={`${count(row.input_tokens)} in · ${count(row.output_tokens)} out`} />
      <Figure label="Cost" value={dollars(row.cost_usd)} note={typeof row.cost_usd === 'number' ? `${dollars(row.cost_usd / row.runs)} per run` : 'no prices configured'} />
      <Figure label="Median latency" value={duration(row.latency_ms_p50)} note={`p95 ${duration(row.latency_ms_p95)}`} />
    </dl>
  )
}

function Figure({ label, value, note, tone }: { label: string; value: string; note: string; tone?: string }) {
  return (
    <div className="rounded-card border bg-surface px-4 py-3">
      <dt className="text-muted">{label}</dt>
      <dd>
        <span className={cn('block text-[1.6rem] leading-tight font-semibold tracking-tight tabular-nums', tone)}>{value}</span>
        <span className="text-[0.93rem] text-muted">{note}</span>
      </dd>
    </div>
  )
}
