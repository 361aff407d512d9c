import { Link } from '@tanstack/react-router'
import type { Api } from '@/api'
import { InertText } from '@/components/inert-text'
import { Card, CardHeader, StatusBadge } from '@/components/ui'
import { plain } from '@/lib/inert'
import { subtasksOf } from './model'

/** What a planner planned: who does what, after what, and where that stands. */
export function Plan({ node, runId }: { node: Api.WorkflowNodeView; runId: string }) {
  const subtasks = subtasksOf(node)
  if (subtasks.length === 0) return null
  return (
    <Card>
      <CardHeader title="Plan" actions={<span className="text-muted">{subtasks.length} subtasks</span>} />
      <ol className="divide-y">
        {subtasks.map((subtask, index) => (
          <li key={index} className="flex flex-col gap-1 px-4 py-2">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="font-medium">{plain(subtask.id)}</span>
              {subtask.task === null ? null : <StatusBadge status={subtask.task.status} />}
              <Link to="/agents/$name" params={{ name: subtask.agent }} className="text-accent hover:underline">
                {plain(subtask.agent)}
              </Link>
              {subtask.dependencies.length > 0 ? (
                <span className="text-muted">after {plain(subtask.dependencies.join(', '))}</span>
              ) : null}
              {subtask.task?.worker?.kind === 'run' ? (
                <Link
                  to="/sessions/$sessionId"
                  params={{ sessionId: subtask.task.worker.session_id }}
                  search={{ run: subtask.task.worker.run_id, workflow: runId }}
                  className="text-accent hover:underline"
                >
                  session
                </Link>
              ) : null}
            </div>
            <InertText text={subtask.description} className="[&_pre]:font-sans [&_pre]:text-[1em]" />
          </li>
        ))}
      </ol>
    </Card>
  )
}
