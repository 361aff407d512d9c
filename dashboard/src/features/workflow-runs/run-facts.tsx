import { CircleAlert } from 'lucide-react'
import type { Api } from '@/api'
import { Fact } from '@/components/fact'
import { RequestedBy } from '@/components/requested-by'
import { Elapsed } from '@/components/time'
import { Card } from '@/components/ui'
import { count, dollars, exactCount } from '@/lib/format'
import { plain } from '@/lib/inert'
import { useUsage } from './api'
import { countsOf, isCompared, progressOf, runIdsOf } from './model'

/** Duration, progress, usage and the number of contradictions. */
export function RunFacts({ run }: { run: Api.WorkflowRunView }) {
  const usage = useUsage(runIdsOf(run))
  const { finished, all } = progressOf(run)
  const counts = countsOf(run)
  const more = usage.partial ? '+' : ''
  return (
    <Card className="px-4 py-2.5">
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        <Fact label="Duration">
          <Elapsed from={run.created_at} to={run.finished_at} />
        </Fact>
        <Fact label="Nodes finished">
          {finished} of {all}
        </Fact>
        <Fact label="Tokens">
          <span title={`${exactCount(usage.input)} input, ${exactCount(usage.output)} output tokens`}>
            {count(usage.input)}{more} in · {count(usage.output)}{more} out
          </span>
        </Fact>
        <Fact label="Cost">{dollars(usage.cost)}{usage.cost === null ? '' : more}</Fact>
        {isCompared(run) ? (
          <>
            <Fact label="Contradictions">
              <span className={counts.contradictions > 0 ? 'font-semibold text-warning' : undefined}>{counts.contradictions}</span>
            </Fact>
            <Fact label="Near-duplicates">{counts.nearDuplicates}</Fact>
            <Fact label="Agreements">{counts.agreements}</Fact>
          </>
        ) : (
          <Fact label="Contradictions">not compared</Fact>
        )}
        <RequestedBy by={run.requested_by} />
      </dl>
    </Card>
  )
}

/** Why a workflow run or one of its nodes failed. */
export function Fault({ title, fault }: { title: string; fault: Api.WorkflowFault }) {
  return (
    <section
      aria-label={title}
      className="flex min-w-0 gap-3 rounded-card border border-danger/40 bg-danger-soft px-4 py-2.5 text-danger"
    >
      <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="min-w-0">
        <p className="font-semibold">{title}</p>
        <p className="text-ink [overflow-wrap:anywhere]">
          {plain(fault.message)} <span className="text-muted">({fault.type})</span>
        </p>
      </div>
    </section>
  )
}
