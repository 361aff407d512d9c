import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Api } from '@/api'
import { Empty } from '@/components/states'
import { Card, StatusBadge } from '@/components/ui'
import { cn } from '@/lib/cn'
import { duration } from '@/lib/format'
import { plain } from '@/lib/inert'
import { type Tone, appearanceOf, isUnfinished } from '@/lib/status'
import { type NodeSpan, spansOf, ticksOf } from './spans'

const SECOND_MS = 1_000

const BARS: Record<Tone, string> = {
  neutral: 'bg-faint',
  info: 'bg-info',
  success: 'bg-success',
  warning: 'bg-warning',
  danger: 'bg-danger',
}

/** When each node ran, and for how long. */
export function RunTimeline({ run, selected }: { run: Api.WorkflowRunView; selected: string | null }) {
  const now = useSeconds(isUnfinished(run.status))
  const { length, nodes, idle } = spansOf(run, now)
  if (nodes.length === 0) {
    return (
      <Card>
        <Empty title="No node has started" />
      </Card>
    )
  }
  const ticks = ticksOf(length)
  return (
    <Card className="overflow-x-auto">
      <div className="min-w-[34rem] px-4 py-3">
        <div aria-hidden className="flex gap-3 text-[0.86rem] text-muted">
          <span className="w-40 shrink-0" />
          <div className="relative h-5 flex-1">
            {ticks.map((tick) => (
              <span key={tick} className="absolute -translate-x-1/2 first:translate-x-0 whitespace-nowrap tabular-nums" style={{ left: `${(100 * tick) / length}%` }}>
                {tick === 0 ? '0' : duration(tick)}
              </span>
            ))}
          </div>
          <span className="w-20 shrink-0" />
        </div>
        <ol aria-label="Nodes by time" className="flex flex-col">
          {nodes.map((span) => (
            <Row key={span.id} runId={run.workflow_run_id} span={span} length={length} ticks={ticks} chosen={span.id === selected} />
          ))}
        </ol>
        {idle.length === 0 ? null : (
          <p className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-1 border-t pt-3 text-muted">
            Not started:
            {idle.map(({ id, status }) => (
              <span key={id} className="inline-flex items-center gap-1.5">
                {plain(id)} <StatusBadge status={status} />
              </span>
            ))}
          </p>
        )}
      </div>
    </Card>
  )
}

interface RowProps {
  runId: string
  span: NodeSpan
  length: number
  ticks: number[]
  chosen: boolean
}

function Row({ runId, span, length, ticks, chosen }: RowProps) {
  const { label, tone } = appearanceOf(span.status)
  const took = duration(span.to - span.from)
  return (
    <li className={cn('relative flex items-center gap-3 rounded-md hover:bg-hover', chosen && 'bg-accent-soft')}>
      <Link
        to="/workflow-runs/$workflowRunId"
        params={{ workflowRunId: runId }}
        search={{ node: span.id }}
        replace
        resetScroll={false}
        aria-label={`${plain(span.id)}: ${label.toLowerCase()}, started after ${duration(span.from)}, took ${took}`}
        className="w-40 shrink-0 truncate py-1.5 pl-1 font-medium after:absolute after:inset-0"
      >
        {plain(span.id)}
      </Link>
      <div aria-hidden className="relative h-7 flex-1">
        {ticks.map((tick) => (
          <span key={tick} className="absolute inset-y-0 border-l" style={{ left: `${(100 * tick) / length}%` }} />
        ))}
        <span
          className={cn('absolute top-1.5 h-4 min-w-1 rounded-sm', BARS[tone])}
          style={{ left: `${(100 * span.from) / length}%`, width: `${(100 * (span.to - span.from)) / length}%` }}
        />
      </div>
      <span aria-hidden className="w-20 shrink-0 pr-1 text-right text-muted tabular-nums">{took}</span>
    </li>
  )
}

/** The current time, updated every second while the run is active. */
function useSeconds(running: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!running) return
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS)
    return () => clearInterval(timer)
  }, [running])
  return now
}
