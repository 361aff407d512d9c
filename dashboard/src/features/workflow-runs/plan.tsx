import { Link } from '@tanstack/react-router'
import type { Api } from '@/api'
import { InertText } from '@/components/inert-text'
import { Card, CardHeader } from '@/components/ui'
import { plural } from '@/lib/format'
import { plain } from '@/lib/inert'
import { type Subtask, isSubtask, subtasksOf, tally } from './model'
import { Task } from './tasks'

/** The plan of a planner: its subtasks with their agents, dependencies and states. */
export function Plan({ node, runId }: { node: Api.WorkflowNodeView; runId: string }) {
  const subtasks = subtasksOf(node)
  if (subtasks.length === 0) return null
  const counts = tally(node.tasks.filter(isSubtask))
  return (
    <Card>
      <CardHeader
        title={`Plan: ${plural(subtasks.length, 'subtask')}`}
        actions={<span className="text-muted">{counts.map(([status, number]) => `${number} ${status}`).join(' · ')}</span>}
      />
      <ul className="divide-y">
        {subtasks.map((subtask, index) => (
          <Task
            key={index}
            workflowRunId={runId}
            // A subtask becomes a task only when its dependencies are finished.
            task={subtask.task ?? { name: subtask.id, status: 'waiting', attempts: 0, earlier: [] }}
            label={subtask.id}
          >
            <About subtask={subtask} />
          </Task>
        ))}
      </ul>
    </Card>
  )
}

function About({ subtask }: { subtask: Subtask }) {
  return (
    <>
      <InertText text={subtask.description} className="[&_pre]:font-sans [&_pre]:text-[1em]" />
      <p className="text-muted">
        by{' '}
        <Link to="/agents/$name" params={{ name: subtask.agent }} className="text-accent underline">
          {plain(subtask.agent)}
        </Link>
        {subtask.dependencies.length > 0 ? `, after ${plain(subtask.dependencies.join(', '))}` : null}
      </p>
    </>
  )
}
