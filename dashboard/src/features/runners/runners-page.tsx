import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Api } from '@/api'
import { runnersQuery, runsQuery } from '@/api/queries'
import { Page } from '@/components/page'
import { Answer, Empty } from '@/components/states'
import { Ago } from '@/components/time'
import { Badge, Card } from '@/components/ui'
import { plain } from '@/lib/inert'
import { Endpoints } from './endpoints'
import { busyOf } from './model'

const MAX_RUNS = 500

export function RunnersPage() {
  const running = useQuery(runsQuery({ status: 'running', limit: MAX_RUNS }))
  const busy = busyOf(running.data?.items ?? [])
  return (
    <Page title="Runners" lead="Processes that claim runs and run models and commands.">
      <Answer query={useQuery(runnersQuery())}>
        {({ items }) =>
          items.length === 0 ? (
            <Card>
              <Empty title="No runners registered" command={`accord runner --coordinator ${window.location.origin}`}>
                Runs stay pending until a runner connects. <code>accord up</code> includes one; start another with:
              </Empty>
            </Card>
          ) : (
            <ul className="grid gap-4 lg:grid-cols-2">
              {items.map((runner) => (
                <Runner key={runner.runner_id} runner={runner} busy={busy.get(runner.runner_id) ?? 0} />
              ))}
            </ul>
          )
        }
      </Answer>
      <Endpoints />
    </Page>
  )
}

function Runner({ runner, busy }: { runner: Api.RunnerView; busy: number }) {
  const { profile } = runner
  const facts: [string, string][] = [
    ['Folder', profile.project_dir || '–'],
    ['Executors', profile.executor_types?.join(', ') || '–'],
    ['Tags', profile.tags?.join(', ') || '–'],
    ['Version', profile.version || '–'],
  ]
  return (
    <li>
      <Card className="flex flex-col gap-3 p-4">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h2 className="flex items-center gap-2 text-[1.07rem] font-semibold">
            {plain(profile.hostname ?? '')}
            {runner.alive ? <Badge tone="success">alive</Badge> : <Badge tone="danger">offline</Badge>}
          </h2>
          <span className="text-muted">
            last seen <Ago at={runner.seen_at} />
          </span>
        </div>
        <div>
          <div className="flex justify-between text-muted">
            <Link to="/runs" search={{ status: 'running' }} className="text-accent hover:underline">
              Running
            </Link>
            <span className="tabular-nums">
              {busy} of {profile.concurrency}
            </span>
          </div>
          <div aria-hidden className="mt-1 h-1.5 overflow-hidden rounded-full bg-hover">
            <div
              className="h-full rounded-full bg-accent"
              style={{ width: `${Math.min(100, (100 * busy) / Math.max(1, profile.concurrency ?? 1))}%` }}
            />
          </div>
        </div>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          {facts.map(([label, value]) => (
            <div key={label} className="contents">
              <dt className="text-muted">{label}</dt>
              <dd className="[overflow-wrap:anywhere]">{plain(value)}</dd>
            </div>
          ))}
          <dt className="text-muted">Id</dt>
          <dd className="[overflow-wrap:anywhere]">
            <code>{runner.runner_id}</code>
          </dd>
        </dl>
      </Card>
    </li>
  )
}
