import { Link } from '@tanstack/react-router'
import type { Api } from '@/api'
import { InertText } from '@/components/inert-text'
import { Card, CardHeader } from '@/components/ui'
import { plural } from '@/lib/format'
import { plain } from '@/lib/inert'
import { type Subtask, isSubtask, subtasksOf, tally } from './model'
import { Task } from './tasks'

/** What a planner planned: who does what, after what, and where that stands. */
export function Plan({ node, runId }: { node: Api.WorkflowNodeView; runId: string }) {
  const subtasks = subtasksOf(node)
  if (subtasks.length === 0) return null
  const stands = tally(node.tasks.filter(isSubtask))
  return (
    <Card>
      <CardHeader
        title={`Plan: ${plural(subtasks.length, 'subtask')}`}
        actions={<span className="text-muted">{stands.map(([status, number]) => `${number} ${status}`).join(' · ')}</span>}
      />
      <ul className="divide-y">
        {subtasks.map((subtask, index) => (
          <Task
            key={index}
            workflowRunId={runId}
            // One that depends on others is no task before they are done.
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
        <Link to="/agents/$name" params={{ name: subtask.agent }} className="text-accent hover:underline">
          {plain(subtask.agent)}
        </Link>
        {subtask.dependencies.length > 0 ? `, after ${plain(subtask.dependencies.join(', '))}` : null}
      </p>
    </>
  )
}
