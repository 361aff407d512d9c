import { Link, getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Api, queryKeys } from '@/api'
import { fetchRun } from '@/api/queries'
import { AgentFilter, RangeFilter, SearchFilter, StatusFilter, timesOf } from '@/components/filters'
import { LiveTablePage } from '@/components/live-table'
import { OnlyWho } from '@/components/read-only'
import { ErrorMessage, ModelName, NameAndInput } from '@/components/run-cells'
import { Empty } from '@/components/states'
import { Ago, Elapsed, useNow } from '@/components/time'
import { StatusBadge, buttonStyle } from '@/components/ui'
import type { Column } from '@/components/virtual-table'
import { count, dollars } from '@/lib/format'
import { RUN_STATUSES } from '@/lib/status'
import { fetchRuns } from './api'

const route = getRouteApi('/runs')

const COLUMNS: Column<Api.RunView>[] = [
  {
    header: 'Agent and input',
    className: 'flex-[3]',
    cell: (run) => (
      <NameAndInput input={run.input_preview}>
        <Link
          data-row-link
          to="/sessions/$sessionId"
          params={{ sessionId: run.session_id }}
          search={{ run: run.run_id }}
          className="font-medium after:absolute after:inset-0"
        >
          {run.agent_name}
        </Link>
      </NameAndInput>
    ),
  },
  { header: 'Status', className: 'w-28', cell: (run) => <StatusBadge status={run.status} /> },
  { header: 'Model', className: 'w-36 max-xl:hidden', cell: (run) => <ModelName name={run.model} /> },
  {
    header: 'Error',
    className: 'flex-[2] max-lg:hidden',
    cell: (run) => <ErrorMessage text={run.error?.message} />,
  },
  {
    header: 'Attempts',
    className: 'w-20 text-right tabular-nums max-2xl:hidden',
    cell: (run) => run.attempts ?? 0,
  },
  {
    header: 'Tokens',
    className: 'w-20 text-right tabular-nums max-2xl:hidden',
    cell: (run) => count(run.usage.input_tokens + run.usage.output_tokens),
  },
  {
    header: 'Cost',
    className: 'w-20 text-right tabular-nums max-lg:hidden',
    cell: (run) => dollars(run.usage.cost_usd),
  },
  {
    header: 'Time',
    className: 'w-20 text-right tabular-nums max-lg:hidden',
    cell: (run) => <Elapsed from={run.created_at} to={run.finished_at} />,
  },
  { header: 'Started', className: 'w-24 text-right max-sm:hidden', cell: (run) => <Ago at={run.created_at} /> },
]

const positionOf = (run: Api.RunView) => ({ id: run.run_id, created_at: run.created_at })

export function RunsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { since, until } = timesOf(search, useNow())
  const list = useMemo(() => {
    const filters = { status: search.status, agent_name: search.agent, q: search.find, since, until }
    return {
      firstKey: queryKeys.runs.list(filters),
      pagesKey: queryKeys.runs.pages(filters),
      fetchPage: (limit: number, cursor?: string) => fetchRuns(filters, limit, cursor),
      fetchOne: fetchRun,
      positionOf,
      idOf: (event: { run_id: string | null }) => event.run_id,
    }
  }, [search.status, search.agent, search.find, since, until])
  const filtered = Object.values(search).some((value) => value !== undefined)
  return (
    <LiveTablePage
      title="Runs"
      list={list}
      columns={COLUMNS}
      actions={
        <>
          <StatusFilter
            statuses={RUN_STATUSES}
            value={search.status}
            onChange={(status) => void navigate({ search: { ...search, status } })}
          />
          <AgentFilter value={search.agent} onChange={(agent) => void navigate({ search: { ...search, agent } })} />
          <RangeFilter value={search} onChange={(range) => void navigate({ search: { ...search, ...range } })} />
          <SearchFilter value={search.find} onChange={(find) => void navigate({ search: { ...search, find }, replace: true })} />
          <OnlyWho may="calls">
            <Link to="/runs/new" search={{ agent: search.agent }} className={buttonStyle({ variant: 'primary' })}>
              New run
            </Link>
          </OnlyWho>
        </>
      }
      empty={<Nothing filtered={filtered} />}
    />
  )
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title="No runs match">Choose another status, agent or period, or change the search.</Empty>
  return (
    <Empty title="No runs yet" command="accord run ticket-triage --params .accord/inputs/ticket.json">
      With the example agents from <code>accord init</code>:
    </Empty>
  )
}
