import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Api } from '@/api'
import { runQuery } from '@/api/queries'
import { Button, Card, CardHeader, StatusBadge } from '@/components/ui'
import { count, plural } from '@/lib/format'
import { plain } from '@/lib/inert'
import { appearanceOf } from '@/lib/status'
import { isSubtask, tally, taskLabel, workersOf } from './model'

/** The number of tasks shown at first. Each one fetches its run. */
const PAGE_SIZE = 25

/** The tasks of a map or planner node. */
export function Tasks({ run, node }: { run: Api.WorkflowRunView; node: Api.WorkflowNodeView }) {
  const [limit, setLimit] = useState(PAGE_SIZE)
  // Subtasks are shown in the plan.
  const tasks = node.plan ? node.tasks.filter((task) => !isSubtask(task)) : node.tasks
  return (
    <Card>
      <CardHeader
        title={plural(tasks.length, 'task')}
        actions={
          <span className="text-muted">
            {tally(tasks).map(([status, number]) => `${number} ${appearanceOf(status).label.toLowerCase()}`).join(' · ')}
          </span>
        }
      />
      <ul className="divide-y">
        {tasks.slice(0, limit).map((task) => (
          <Task key={task.name} workflowRunId={run.workflow_run_id} task={task} />
        ))}
      </ul>
      {tasks.length > limit ? (
        <div className="border-t px-4 py-2">
          <Button size="small" onClick={() => setLimit(limit + 4 * PAGE_SIZE)}>
            Show more ({tasks.length - limit} hidden)
          </Button>
        </div>
      ) : null}
    </Card>
  )
}

interface TaskProps {
  workflowRunId: string
  task: Api.WorkflowTaskView
  /** Shown instead of the task's name. */
  label?: string
  /** Additional content. */
  children?: ReactNode
}

/** A task: its status, links to its sessions, and its error. */
export function Task({ workflowRunId, task, label, children }: TaskProps) {
  const workers = workersOf(task)
  return (
    <li className="flex flex-col gap-1 px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-24 font-medium [overflow-wrap:anywhere]">{plain(label ?? taskLabel(task))}</span>
        <StatusBadge status={task.status} />
        <Workers workflowRunId={workflowRunId} workers={workers} />
        {task.attempts > 1 ? <span className="text-muted">{plural(task.attempts - 1, 'retry', 'retries')}</span> : null}
      </div>
      {children}
      {task.error ? (
        <p className="text-danger [overflow-wrap:anywhere]">
          {plain(task.error.message)} <span className="text-muted">({task.error.type})</span>
        </p>
      ) : null}
    </li>
  )
}

/** Links to the runs of a task, including failed attempts. */
function Workers({ workflowRunId, workers }: { workflowRunId: string; workers: Api.Worker[] }) {
  const ids = workers.flatMap((worker) => (worker.kind === 'run' ? [worker.run_id] : []))
  const runs = useQueries({ queries: ids.map(runQuery) }).flatMap((query) => query.data ?? [])
  return workers.map((worker, index) => {
    const label = workers.length === 1 ? '' : `attempt ${index + 1}:`
    if (worker.kind === 'workflow') {
      return (
        <Link
          key={worker.workflow_run_id}
          to="/workflow-runs/$workflowRunId"
          params={{ workflowRunId: worker.workflow_run_id }}
          className="text-accent hover:underline"
        >
          {label} workflow run
        </Link>
      )
    }
    const run = runs.find((known) => known.run_id === worker.run_id)
    return (
      <span key={worker.run_id} className="flex flex-wrap items-center gap-x-2">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: worker.session_id }}
          search={{ run: worker.run_id, view: 'attempts', workflow: workflowRunId }}
          className="text-accent hover:underline"
        >
          {label} session and attempts
        </Link>
        {run ? <span className="text-muted">{factsOf(run)}</span> : null}
      </span>
    )
  })
}

function factsOf(run: Api.RunView): string {
  const attempts = run.result?.schema_validation?.attempts ?? run.error?.attempts
  const tokens = `${count(run.usage.input_tokens + run.usage.output_tokens)} tokens`
  return attempts === null || attempts === undefined ? tokens : `${plural(attempts, 'attempt')} · ${tokens}`
}
