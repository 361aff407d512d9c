import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Api, queryKeys } from '@/api'
import { workflowNamesQuery } from '@/api/queries'
import { Command } from '@/components/command'
import { RangeFilter, SearchFilter, StatusFilter, timesOf } from '@/components/filters'
import { LiveTablePage } from '@/components/live-table'
import { NameAndInput } from '@/components/run-cells'
import { Empty } from '@/components/states'
import { Ago, Elapsed, useNow } from '@/components/time'
import { Badge, Select, StatusBadge } from '@/components/ui'
import type { Column } from '@/components/virtual-table'
import { plain } from '@/lib/inert'
import { WORKFLOW_STATUSES } from '@/lib/status'
import { fetchWorkflowRun, fetchWorkflowRuns } from './api'

const route = getRouteApi('/workflow-runs')

const COLUMNS: Column<Api.WorkflowRunSummary>[] = [
  {
    header: 'Workflow and input',
    className: 'flex-1',
    cell: (run) => (
      <NameAndInput input={run.input_preview}>
        <Link
          data-row-link
          to="/workflow-runs/$workflowRunId"
          params={{ workflowRunId: run.workflow_run_id }}
          className="font-medium after:absolute after:inset-0"
        >
          {plain(run.workflow_name)}
        </Link>
      </NameAndInput>
    ),
  },
  { header: 'Status', className: 'w-28', cell: (run) => <StatusBadge status={run.status} /> },
  {
    header: 'Workflow run',
    className: 'w-84 max-2xl:hidden',
    cell: (run) => <code className="text-muted">{run.workflow_run_id}</code>,
  },
  {
    header: 'Parent',
    className: 'w-20 max-xl:hidden',
    cell: (run) => (run.parent_workflow_run_id ? <Badge>child</Badge> : <span className="text-faint">–</span>),
  },
  {
    header: 'Time',
    className: 'w-20 text-right tabular-nums max-md:hidden',
    cell: (run) => <Elapsed from={run.created_at} to={run.finished_at} />,
  },
  { header: 'Started', className: 'w-24 text-right max-sm:hidden', cell: (run) => <Ago at={run.created_at} /> },
]

const positionOf = (run: Api.WorkflowRunSummary) => ({ id: run.workflow_run_id, created_at: run.created_at })

export function WorkflowRunsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { since, until } = timesOf(search, useNow())
  const list = useMemo(() => {
    const filters = { status: search.status, workflow_name: search.workflow, q: search.find, since, until }
    return {
      firstKey: queryKeys.workflowRuns.list(filters),
      pagesKey: queryKeys.workflowRuns.pages(filters),
      fetchPage: (limit: number, cursor?: string) => fetchWorkflowRuns(filters, limit, cursor),
      fetchOne: fetchWorkflowRun,
      positionOf,
      idOf: (event: { workflow_run_id: string | null }) => event.workflow_run_id,
    }
  }, [search.status, search.workflow, search.find, since, until])
  const filtered = Object.values(search).some((value) => value !== undefined)
  return (
    <LiveTablePage
      title="Workflow runs"
      list={list}
      columns={COLUMNS}
      actions={
        <>
          <StatusFilter
            statuses={WORKFLOW_STATUSES}
            value={search.status}
            onChange={(status) => void navigate({ search: { ...search, status } })}
          />
          <WorkflowFilter
            value={search.workflow}
            onChange={(workflow) => void navigate({ search: { ...search, workflow } })}
          />
          <RangeFilter value={search} onChange={(range) => void navigate({ search: { ...search, ...range } })} />
          <SearchFilter value={search.find} onChange={(find) => void navigate({ search: { ...search, find }, replace: true })} />
        </>
      }
      empty={<Nothing filtered={filtered} />}
    />
  )
}

interface FilterProps {
  value: string | undefined
  onChange: (value: string | undefined) => void
}

/** Offers all workflows, and the selected one even if it no longer exists. */
function WorkflowFilter({ value, onChange }: FilterProps) {
  const workflows = useQuery(workflowNamesQuery())
  const names = workflows.data?.items.map((workflow) => workflow.name) ?? []
  if (value !== undefined && !names.includes(value)) names.push(value)
  return (
    <Select
      aria-label="Workflow"
      className="w-48"
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">Any workflow</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {plain(name)}
        </option>
      ))}
    </Select>
  )
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title="No workflow runs match">Choose another status, workflow or period, or change the search.</Empty>
  return (
    <Empty
      title="No workflow runs yet"
      action={
        <div className="flex max-w-full flex-col gap-2">
          <Command text="accord init --template code-review" />
          <Command text="accord workflows run code-review --input .accord/inputs/change.json" />
        </div>
      }
    >
      A workflow is a graph of agents whose outputs are compared before they are combined. This one answers from
      recordings, so it needs no API key:
    </Empty>
  )
}
