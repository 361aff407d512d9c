import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { runnersQuery, runsQuery } from '@/api/queries'
import { Card } from '@/components/ui'
import { exactCount, plural } from '@/lib/format'
import { depthQuery } from './api'

/** The queue, the runs in progress, and the runners right now. */
export function Operation() {
  const depths = useQuery(depthQuery()).data
  const runners = useQuery(runnersQuery())
  const alive = runners.data?.items.filter((runner) => runner.alive)
  const slots = alive?.reduce((sum, runner) => sum + (runner.profile.concurrency ?? 0), 0) ?? 0
  return (
    <Card className="flex flex-wrap divide-x">
      <CurrentState label="Queue" to="/runs" search={{ status: 'pending' }}>
        {depths ? `${exactCount(depths.pending)} pending` : '–'}
      </CurrentState>
      <CurrentState label="Running" to="/runs" search={{ status: 'running' }}>
        {depths ? `${exactCount(depths.held)} of ${plural(slots, 'slot')}` : '–'}
      </CurrentState>
      <Suspended />
      <CurrentState label="Runners" to="/runners">
        {alive === undefined ? '–' : alive.length === 0 ? <span className="text-danger">none alive</span> : `${alive.length} alive`}
      </CurrentState>
    </Card>
  )
}

/** Runs that wait for their children or for people; they hold no runner. */
function Suspended() {
  const children = useQuery(runsQuery({ status: 'waiting', limit: 1 })).data?.total ?? 0
  const people = useQuery(runsQuery({ status: 'input_required', limit: 1 })).data?.total ?? 0
  return (
    <>
      {children > 0 ? (
        <CurrentState label="Waiting" to="/runs" search={{ status: 'waiting' }}>
          {`${exactCount(children)} for child sessions`}
        </CurrentState>
      ) : null}
      {people > 0 ? (
        <CurrentState label="Input required" to="/inputs">
          {plural(people, 'run')}
        </CurrentState>
      ) : null}
    </>
  )
}

interface CurrentStateProps {
  label: string
  to: LinkProps['to']
  search?: LinkProps['search']
  children: ReactNode
}

function CurrentState({ label, to, search, children }: CurrentStateProps) {
  return (
    <Link to={to} search={search} className="flex min-w-40 flex-1 items-baseline gap-2 px-4 py-2 hover:bg-hover">
      <span className="text-muted">{label}</span>
      <span className="font-semibold tabular-nums">{children}</span>
    </Link>
  )
}
