import { Link, getRouteApi } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useMemo } from 'react'
import { type Api, queryKeys } from '@/api'
import { AgentFilter, RangeFilter, SearchFilter, StatusFilter, timesOf } from '@/components/filters'
import { LiveTablePage } from '@/components/live-table'
import { ModelName, NameAndInput } from '@/components/run-cells'
import { Empty } from '@/components/states'
import { Ago, Elapsed, useNow } from '@/components/time'
import { Badge, Button, StatusBadge } from '@/components/ui'
import type { Column } from '@/components/virtual-table'
import { count, dollars } from '@/lib/format'
import { SESSION_STATUSES } from '@/lib/status'
import { fetchSession, fetchSessions } from './api'

const route = getRouteApi('/sessions')

const COLUMNS: Column<Api.SessionView>[] = [
  {
    header: 'Agent and input',
    className: 'flex-1',
    cell: (session) => (
      <NameAndInput input={session.input_preview}>
        <Link
          data-row-link
          to="/sessions/$sessionId"
          params={{ sessionId: session.session_id }}
          title={session.session_id}
          className="font-medium after:absolute after:inset-0"
        >
          {session.agent_name}
        </Link>
      </NameAndInput>
    ),
  },
  { header: 'Status', className: 'w-28', cell: (session) => <StatusBadge status={session.status} /> },
  { header: 'Model', className: 'w-36 max-xl:hidden', cell: (session) => <ModelName name={session.model} /> },
  {
    header: 'Parent',
    className: 'w-16 max-2xl:hidden',
    cell: (session) => (session.parent_session_id ? <Badge>child</Badge> : <span className="text-faint">–</span>),
  },
  {
    header: 'Attempts',
    className: 'w-20 text-right tabular-nums max-xl:hidden',
    cell: (session) => session.attempts ?? 0,
  },
  {
    header: 'Tokens',
    className: 'w-16 text-right tabular-nums max-xl:hidden',
    cell: (session) => count((session.usage?.input_tokens ?? 0) + (session.usage?.output_tokens ?? 0)),
  },
  {
    header: 'Cost',
    className: 'w-20 text-right tabular-nums max-xl:hidden',
    cell: (session) => dollars(session.usage?.cost_usd),
  },
  {
    header: 'Time',
    className: 'w-20 text-right tabular-nums max-lg:hidden',
    cell: (session) => <Elapsed from={session.started_at} to={session.finished_at} />,
  },
  { header: 'Started', className: 'w-24 text-right max-md:hidden', cell: (session) => <Ago at={session.created_at} /> },
  { header: 'Updated', className: 'w-24 text-right max-sm:hidden', cell: (session) => <Ago at={session.updated_at} /> },
]

const positionOf = (session: Api.SessionView) => ({ id: session.session_id, created_at: session.created_at })

export function SessionsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { since, until } = timesOf(search, useNow())
  const list = useMemo(() => {
    const filters = { status: search.status, agent_name: search.agent, parent_session_id: search.parent, q: search.find, since, until }
    return {
      firstKey: queryKeys.sessions.list(filters),
      pagesKey: queryKeys.sessions.pages(filters),
      fetchPage: (limit: number, cursor?: string) => fetchSessions(filters, limit, cursor),
      fetchOne: fetchSession,
      positionOf,
      idOf: (event: { session_id: string }) => event.session_id,
    }
  }, [search.status, search.agent, search.parent, search.find, since, until])
  const filtered = Object.values(search).some((value) => value !== undefined)
  return (
    <LiveTablePage
      title="Sessions"
      list={list}
      columns={COLUMNS}
      actions={
        <>
          <StatusFilter
            statuses={SESSION_STATUSES}
            value={search.status}
            onChange={(status) => void navigate({ search: { ...search, status } })}
          />
          <AgentFilter value={search.agent} onChange={(agent) => void navigate({ search: { ...search, agent } })} />
          <RangeFilter value={search} onChange={(range) => void navigate({ search: { ...search, ...range } })} />
          <SearchFilter value={search.find} onChange={(find) => void navigate({ search: { ...search, find }, replace: true })} />
          {search.parent ? (
            <Button onClick={() => void navigate({ search: { ...search, parent: undefined } })}>
              Child sessions <X aria-label="Show all" />
            </Button>
          ) : null}
        </>
      }
      empty={<Nothing filtered={filtered} />}
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
