import { Link, getRouteApi } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useMemo } from 'react'
import { type Api, queryKeys } from '@/api'
import { AgentFilter, PeriodFilter, SearchFilter, StatusFilter, sinceOf } from '@/components/filters'
import { LiveTablePage } from '@/components/live-table'
import { InputPreview, OfRun } from '@/components/run-cells'
import { Empty } from '@/components/states'
import { Ago, Elapsed, useNow } from '@/components/time'
import { Badge, Button, StatusBadge } from '@/components/ui'
import type { Column } from '@/components/virtual-table'
import { count, dollars } from '@/lib/format'
import { attemptsOf } from '@/lib/run-facts'
import { SESSION_STATUSES } from '@/lib/status'
import { fetchSession, fetchSessions } from './api'

const route = getRouteApi('/sessions')

const COLUMNS: Column<Api.SessionView>[] = [
  {
    header: 'Agent',
    className: 'w-44 max-md:flex-1',
    cell: (session) => (
      <Link
        data-row-link
        to="/sessions/$sessionId"
        params={{ sessionId: session.session_id }}
        title={session.session_id}
        className="font-medium after:absolute after:inset-0"
      >
        {session.agent_name}
      </Link>
    ),
  },
  { header: 'Status', className: 'w-28', cell: (session) => <StatusBadge status={session.status} /> },
  { header: 'Input', className: 'flex-1 max-md:hidden', cell: (session) => <InputPreview runId={session.last_run_id} /> },
  {
    header: 'Parent',
    className: 'w-16 max-2xl:hidden',
    cell: (session) => (session.parent_session_id ? <Badge>child</Badge> : <span className="text-faint">–</span>),
  },
  {
    header: 'Attempts',
    className: 'w-20 text-right tabular-nums max-xl:hidden',
    cell: (session) => <OfRun runId={session.last_run_id}>{(run) => attemptsOf(run) ?? '–'}</OfRun>,
  },
  {
    header: 'Tokens',
    className: 'w-16 text-right tabular-nums max-xl:hidden',
    cell: (session) => <OfRun runId={session.last_run_id}>{(run) => count(run.usage.input_tokens + run.usage.output_tokens)}</OfRun>,
  },
  {
    header: 'Cost',
    className: 'w-16 text-right tabular-nums max-xl:hidden',
    cell: (session) => <OfRun runId={session.last_run_id}>{(run) => dollars(run.usage.cost_usd)}</OfRun>,
  },
  {
    header: 'Time',
    className: 'w-20 text-right tabular-nums max-lg:hidden',
    cell: (session) => <OfRun runId={session.last_run_id}>{(run) => <Elapsed from={run.started_at} to={run.finished_at} />}</OfRun>,
  },
  { header: 'Started', className: 'w-24 text-right max-md:hidden', cell: (session) => <Ago at={session.created_at} /> },
  { header: 'Updated', className: 'w-24 text-right', cell: (session) => <Ago at={session.updated_at} /> },
]

const placeOf = (session: Api.SessionView) => ({ id: session.session_id, created_at: session.created_at })

const searched = (session: Api.SessionView) => ({ run: session.last_run_id, text: `${session.agent_name} ${session.session_id}` })

export function SessionsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useMemo(() => {
    const filters = { status: search.status, agent_name: search.agent, parent_session_id: search.parent }
    return {
      firstKey: queryKeys.sessions.list(filters),
      pagesKey: queryKeys.sessions.pages(filters),
      fetchPage: (limit: number, cursor?: string) => fetchSessions(filters, limit, cursor),
      fetchOne: fetchSession,
      placeOf,
      idOf: (event: { session_id: string }) => event.session_id,
    }
  }, [search.status, search.agent, search.parent])
  const filtered = Boolean(search.status ?? search.agent ?? search.parent ?? search.since ?? search.find)
  const since = sinceOf(search.since ?? 'all', useNow())
  return (
    <LiveTablePage
      title="Sessions"
      list={list}
      columns={COLUMNS}
      filtered={filtered}
      since={since}
      find={search.find}
      searched={searched}
      actions={
        <>
          <StatusFilter
            statuses={SESSION_STATUSES}
            value={search.status}
            onChange={(status) => void navigate({ search: { ...search, status } })}
          />
          <AgentFilter value={search.agent} onChange={(agent) => void navigate({ search: { ...search, agent } })} />
          <PeriodFilter
            value={search.since ?? 'all'}
            onChange={(period) => void navigate({ search: { ...search, since: period === 'all' ? undefined : period } })}
          />
          <SearchFilter value={search.find} onChange={(find) => void navigate({ search: { ...search, find }, replace: true })} />
          {search.parent ? (
            <Button onClick={() => void navigate({ search: { ...search, parent: undefined } })}>
              Child sessions <X aria-label="Show all" />
            </Button>
          ) : null}
        </>
      }
      nothing={<Nothing filtered={filtered} />}
    />
  )
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title="No sessions match">Choose another status, agent or period, or change the search.</Empty>
  return (
    <Empty title="No sessions yet" command="accord run ticket-triage --params .accord/inputs/ticket.json">
      A run starts a session. With the example agents from <code>accord init</code>:
    </Empty>
  )
}
