import { Link, getRouteApi } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useMemo } from 'react'
import { type Api, queryKeys } from '@/api'
import { AgentFilter, StatusFilter } from '@/components/filters'
import { LiveTablePage } from '@/components/live-table'
import { Empty } from '@/components/states'
import { Ago } from '@/components/time'
import { Badge, Button, StatusBadge } from '@/components/ui'
import type { Column } from '@/components/virtual-table'
import { SESSION_STATUSES } from '@/lib/status'
import { fetchSession, fetchSessions } from './api'

const route = getRouteApi('/sessions')

const COLUMNS: Column<Api.SessionView>[] = [
  {
    header: 'Agent',
    className: 'flex-1',
    cell: (session) => (
      <Link
        data-row-link
        to="/sessions/$sessionId"
        params={{ sessionId: session.session_id }}
        className="font-medium after:absolute after:inset-0"
      >
        {session.agent_name}
      </Link>
    ),
  },
  { header: 'Status', className: 'w-28', cell: (session) => <StatusBadge status={session.status} /> },
  {
    header: 'Session',
    className: 'w-84 max-lg:hidden',
    cell: (session) => <code className="text-muted">{session.session_id}</code>,
  },
  {
    header: 'Parent',
    className: 'w-20 max-xl:hidden',
    cell: (session) => (session.parent_session_id ? <Badge>child</Badge> : <span className="text-faint">–</span>),
  },
  { header: 'Started', className: 'w-24 text-right max-md:hidden', cell: (session) => <Ago at={session.created_at} /> },
  { header: 'Changed', className: 'w-24 text-right', cell: (session) => <Ago at={session.updated_at} /> },
]

const placeOf = (session: Api.SessionView) => ({ id: session.session_id, created_at: session.created_at })

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
  const filtered = Boolean(search.status ?? search.agent ?? search.parent)
  return (
    <LiveTablePage
      title="Sessions"
      list={list}
      columns={COLUMNS}
      filtered={filtered}
      actions={
        <>
          <StatusFilter
            statuses={SESSION_STATUSES}
            value={search.status}
            onChange={(status) => void navigate({ search: { ...search, status } })}
          />
          <AgentFilter value={search.agent} onChange={(agent) => void navigate({ search: { ...search, agent } })} />
          {search.parent ? (
            <Button onClick={() => void navigate({ search: { ...search, parent: undefined } })}>
              Children of one session <X aria-label="Show all" />
            </Button>
          ) : null}
        </>
      }
      nothing={<Nothing filtered={filtered} />}
    />
  )
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title="No session matches">Choose another status or agent.</Empty>
  return (
    <Empty title="There are no sessions yet" command="accord run ticket-triage --params .accord/inputs/ticket.json">
      A session begins with a run. With the example agents of <code>accord init</code>:
    </Empty>
  )
}
