import { Link } from '@tanstack/react-router'
import { FileText, Play } from 'lucide-react'
import type { Api } from '@/api'
import { Problems, Verdict } from '@/components/editing'
import { OnlyWho } from '@/components/read-only'
import { Ago } from '@/components/time'
import { Badge, StatusBadge, buttonStyle } from '@/components/ui'
import { plural } from '@/lib/format'
import { plain } from '@/lib/inert'

interface Props {
  workflow: Api.WorkflowSummary
  lastRun: Api.WorkflowRunSummary | undefined
}

export function WorkflowRow({ workflow, lastRun }: Props) {
  const params = { name: workflow.name }
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-64">
          <div className="flex flex-wrap items-center gap-2">
            <Link to="/workflows/$name" params={params} className="font-semibold text-accent hover:underline">
              {workflow.name}
            </Link>
            <Verdict of={workflow} />
          </div>
          <p className="break-words text-muted">{plain(workflow.description) || 'No description'}</p>
        </div>
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-muted">
          <span>{plural(workflow.nodes, 'node')}</span>
          {workflow.source === 'file' ? (
            <Badge title="Defined in a file">
              <FileText aria-hidden /> file
            </Badge>
          ) : null}
          {lastRun === undefined ? (
            <span>no recent runs</span>
          ) : (
            <Link
              to="/workflow-runs/$workflowRunId"
              params={{ workflowRunId: lastRun.workflow_run_id }}
              className="flex items-center gap-2 hover:underline"
            >
              <span className="sr-only">Last run of {workflow.name}: </span>
              <StatusBadge status={lastRun.status} /> <Ago at={lastRun.created_at} />
            </Link>
          )}
        </div>
        {workflow.valid ? (
          <OnlyWho may="calls">
            <Link
              to="/workflows/$name"
              params={params}
              search={{ starting: true }}
              className={buttonStyle({ size: 'small' })}
              aria-label={`Run ${workflow.name}`}
            >
              <Play aria-hidden /> Run
            </Link>
          </OnlyWho>
        ) : null}
      </div>
      <Problems problems={workflow.problems} />
    </li>
  )
}
