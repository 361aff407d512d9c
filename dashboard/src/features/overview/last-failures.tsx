import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { runsQuery } from '@/api/queries'
import { type Period, sinceOf } from '@/components/filters'
import { Answer, Empty } from '@/components/states'
import { Ago, useNow } from '@/components/time'
import { Card, CardHeader } from '@/components/ui'
import { plain } from '@/lib/inert'

const MAX_SHOWN = 8

interface Props {
  agent: string | undefined
  period: Period
}

/** The latest failures of the page's agent and period. */
export function LastFailures({ agent, period }: Props) {
  const failed = useQuery(runsQuery({ status: 'failed', agent_name: agent, since: sinceOf(period, useNow()), limit: MAX_SHOWN }))
  return (
    <Card>
      <CardHeader
        title="Latest failures"
        actions={
          <Link to="/runs" search={{ status: 'failed', agent, since: period === 'all' ? undefined : period }} className="text-accent hover:underline">
            All failures
          </Link>
        }
      />
      <Answer query={failed}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No failures" />
          ) : (
            <ul className="divide-y">
              {items.map((run) => (
                <li key={run.run_id} className="px-4 py-2">
                  <div className="flex items-baseline justify-between gap-2">
                    <Link
                      to="/sessions/$sessionId"
                      params={{ sessionId: run.session_id }}
                      search={{ run: run.run_id, view: 'attempts' }}
                      className="font-medium text-accent hover:underline"
                    >
                      {run.agent_name}
                    </Link>
                    <span className="text-muted">
                      <Ago at={run.finished_at ?? run.created_at} />
                    </span>
                  </div>
                  <p className="truncate">{plain(run.error?.message ?? '')}</p>
                  <p className="truncate text-muted">
                    <code>{plain(run.error?.validation_errors?.[0] ?? run.error?.type ?? '')}</code>
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  )
}
