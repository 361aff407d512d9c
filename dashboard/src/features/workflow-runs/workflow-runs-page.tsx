import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Api, queryKeys } from '@/api'
import { useLiveList } from '@/api/live-list'
import { Command } from '@/components/command'
import { StatusFilter } from '@/components/filters'
import { Page } from '@/components/page'
import { Answer, Empty } from '@/components/states'
import { Ago, Elapsed } from '@/components/time'
import { Badge, Card, Select, StatusBadge } from '@/components/ui'
import { type Column, VirtualTable } from '@/components/virtual-table'
import { exactCount } from '@/lib/format'
import { plain } from '@/lib/inert'
import { WORKFLOW_STATUSES } from '@/lib/status'
import { fetchWorkflowRun, fetchWorkflowRuns, workflowNamesQuery } from './api'

const route = getRouteApi('/workflow-runs')

const COLUMNS: Column<Api.WorkflowRunSummary>[] = [
  {
    header: 'Workflow',
    className: 'flex-1',
    cell: (run) => (
      <Link
        data-row-link
        to="/workflow-runs/$workflowRunId"
        params={{ workflowRunId: run.workflow_run_id }}
        className="font-medium after:absolute after:inset-0"
      >
        {plain(run.workflow_name)}
      </Link>
    ),
  },
  { header: 'Status', className: 'w-28', cell: (run) => <StatusBadge status={run.status} /> },
  {
    header: 'Workflow run',
    className: 'w-84 max-lg:hidden',
    cell: (run) => <code className="text-muted">{run.workflow_run_id}</code>,
  },
  {
    header: 'Within',
    className: 'w-20 max-xl:hidden',
    cell: (run) => (run.parent_workflow_run_id ? <Badge>another</Badge> : <span className="text-faint">–</span>),
  },
  {
    header: 'Time',
    className: 'w-20 text-right tabular-nums max-md:hidden',
    cell: (run) => <Elapsed from={run.created_at} to={run.finished_at} />,
  },
  { header: 'Started', className: 'w-24 text-right', cell: (run) => <Ago at={run.created_at} /> },
]

const placeOf = (run: Api.WorkflowRunSummary) => ({ id: run.workflow_run_id, created_at: run.created_at })

export function WorkflowRunsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useMemo(() => {
    const filters = { status: search.status, workflow_name: search.workflow }
    return {
      firstKey: queryKeys.workflowRuns.list(filters),
      pagesKey: queryKeys.workflowRuns.pages(filters),
      fetchPage: (limit: number, cursor?: string) => fetchWorkflowRuns(filters, limit, cursor),
      fetchOne: fetchWorkflowRun,
      placeOf,
      idOf: (event: { workflow_run_id: string | null }) => event.workflow_run_id,
    }
  }, [search.status, search.workflow])
  const { query, items, hasMore, loadMore } = useLiveList(list)
  const filtered = Boolean(search.status ?? search.workflow)
  return (
    <Page
      title="Workflow runs"
      fill
      lead={query.data ? `${exactCount(items.length)}${hasMore ? '+' : ''} ${filtered ? 'match' : 'in all'}, newest first` : ' '}
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
        </>
      }
    >
      <Card className="flex min-h-64 flex-1 flex-col overflow-hidden">
        <Answer query={query}>
          {() =>
            items.length === 0 ? (
              <Nothing filtered={filtered} />
            ) : (
              <VirtualTable
                label="Workflow runs"
                items={items}
                columns={COLUMNS}
                keyOf={(run) => run.workflow_run_id}
                hasMore={hasMore}
                onEnd={loadMore}
              />
            )
          }
        </Answer>
      </Card>
    </Page>
  )
}

interface FilterProps {
  value: string | undefined
  onChange: (value: string | undefined) => void
}

/** Offers the workflows that there are; one that the address names and that is gone can still be seen. */
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
  if (filtered) return <Empty title="No workflow run matches">Choose another status or workflow.</Empty>
  return (
    <Empty
      title="No workflow has been run yet"
      action={
        <div className="flex max-w-full flex-col gap-2">
          <Command text="accord init --template code-review" />
          <Command text="accord workflow run code-review --input .accord/inputs/change.json" />
        </div>
      }
    >
      A workflow is a graph of agents whose answers are compared before they are joined. This one is answered from
      recordings, so it needs no key:
    </Empty>
  )
}
