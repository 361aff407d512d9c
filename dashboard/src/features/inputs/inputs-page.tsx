import { Link, getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Api, queryKeys } from '@/api'
import { LiveTablePage } from '@/components/live-table'
import { Empty } from '@/components/states'
import { Ago, useNow } from '@/components/time'
import { Select, StatusBadge } from '@/components/ui'
import type { Column } from '@/components/virtual-table'
import { moment, until } from '@/lib/format'
import { plain } from '@/lib/inert'
import { PURPOSES, summaryOf } from '@/lib/inputs'
import { INPUT_STATUSES, appearanceOf } from '@/lib/status'
import { fetchInput, fetchInputs } from './api'

const route = getRouteApi('/inputs')

const COLUMNS: Column<Api.InputRequest>[] = [
  {
    header: 'Purpose',
    className: 'w-28',
    cell: (input) => (
      <Link data-row-link to="/inputs/$inputId" params={{ inputId: input.id }} className="font-medium after:absolute after:inset-0">
        {PURPOSES[input.purpose]}
      </Link>
    ),
  },
  { header: 'Status', className: 'w-28 max-md:hidden', cell: (input) => <StatusBadge status={input.status} /> },
  { header: 'Agent', className: 'w-40 max-md:hidden', cell: (input) => plain(input.agent_name) },
  {
    header: 'Request',
    className: 'flex-1',
    cell: (input) => (
      <span className="text-muted" title={plain(summaryOf(input))}>
        {plain(summaryOf(input))}
      </span>
    ),
  },
  {
    header: 'Run',
    className: 'w-16 max-lg:hidden',
    cell: (input) => (
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: input.session_id }}
        search={{ run: input.run_id }}
        title={input.run_id}
        className="relative z-10 text-accent hover:underline"
      >
        Run
      </Link>
    ),
  },
  { header: 'Deadline', className: 'w-36 text-right', cell: (input) => <Deadline at={input.expires_at} /> },
  { header: 'Asked', className: 'w-24 text-right max-md:hidden', cell: (input) => <Ago at={input.created_at} /> },
]

function Deadline({ at }: { at: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={moment(at)}>
      {until(at, now)}
    </time>
  )
}

const positionOf = ({ id, created_at }: Api.InputRequest) => ({ id, created_at })

/** Input requests, by default the open ones. */
export function InputsPage() {
  const { status = 'open' } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useMemo(
    () => ({
      firstKey: queryKeys.inputs.list({ status }),
      pagesKey: queryKeys.inputs.pages({ status }),
      fetchPage: (limit: number, cursor?: string) => fetchInputs(status === 'all' ? undefined : status, limit, cursor),
      fetchOne: fetchInput,
      positionOf,
      // Events have no input ids, so older pages are only refetched when the page is opened.
      idOf: () => null,
    }),
    [status],
  )
  return (
    <LiveTablePage
      title="Inputs"
      list={list}
      columns={COLUMNS}
      actions={
        <Select
          aria-label="Status"
          className="w-40"
          value={status}
          onChange={(event) =>
            void navigate({ search: { status: [...INPUT_STATUSES, 'all' as const].find((known) => known !== 'open' && known === event.target.value) } })
          }
        >
          {INPUT_STATUSES.map((known) => (
            <option key={known} value={known}>
              {appearanceOf(known).label}
            </option>
          ))}
          <option value="all">Any status</option>
        </Select>
      }
      empty={<Nothing status={status} />}
    />
  )
}

function Nothing({ status }: { status: string }) {
  if (status !== 'open') return <Empty title="No requests match">Choose another status.</Empty>
  return (
    <Empty title="Nothing to answer">
      Runs that need an approval, an answer or a correction appear here.
    </Empty>
  )
}
