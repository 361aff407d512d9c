import { Link } from '@tanstack/react-router'
import { GitCompareArrows, TriangleAlert } from 'lucide-react'
import type { Api } from '@/api'
import { Elapsed } from '@/components/time'
import { Badge, Card, CardHeader, StatusBadge } from '@/components/ui'
import { ValueCard } from '@/components/value-card'
import { plural } from '@/lib/format'
import { plain } from '@/lib/inert'
import type { Reading } from './model'
import { NodeLink } from './node-link'
import { Plan } from './plan'
import { Fault } from './run-facts'
import { Task, Tasks } from './tasks'

/** A node of a run: its status, tasks, inputs and output. */
export function NodePanel({ reading, node }: { reading: Reading; node: Api.WorkflowNodeView }) {
  const { run, part } = reading
  const index = String(run.nodes.indexOf(node))
  const inputs = part('nodes', index, 'inputs')
  const output = part('nodes', index, 'output')
  return (
    <div className="flex flex-col gap-4">
      <About run={run} node={node} />
      {node.error ? <Fault title="Node failed" fault={node.error} /> : null}
      {node.warning ? <Warning text={node.warning} /> : null}
      {node.plan ? <Plan runId={run.workflow_run_id} node={node} /> : null}
      {node.tasks.length > 1 || node.plan ? <Tasks run={run} node={node} /> : null}
      {inputs === null && output === null ? null : (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          {output === null ? null : <ValueCard title="Output" text={output} className="max-h-[32rem]" />}
          {inputs === null || inputs === '{}' ? null : <ValueCard title="Inputs" text={inputs} className="max-h-[32rem]" />}
        </div>
      )}
    </div>
  )
}

function About({ run, node }: { run: Api.WorkflowRunView; node: Api.WorkflowNodeView }) {
  const incoming = run.edges.filter((edge) => edge.to === node.id)
  const inner = node.tasks.some((task) => task.worker?.kind === 'workflow')
  const [only] = node.tasks
  return (
    <Card>
      <CardHeader
        title={
          <span className="flex flex-wrap items-center gap-2">
            {plain(node.id)} <StatusBadge status={node.status} /> <Badge>{plain(node.type)}</Badge>
          </span>
        }
        actions={
          node.started_at ? (
            <span className="text-muted">
              duration <Elapsed from={node.started_at} to={node.finished_at ?? run.finished_at} />
            </span>
          ) : null
        }
      />
      <div className="flex flex-wrap gap-x-8 gap-y-2 px-4 py-2.5">
        {node.agent_name && !inner ? (
          <span>
            <span className="text-muted">Agent </span>
            <Link to="/agents/$name" params={{ name: node.agent_name }} className="text-accent hover:underline">
              {plain(node.agent_name)}
            </Link>
          </span>
        ) : null}
        {incoming.length > 0 ? <Upstream runId={run.workflow_run_id} edges={incoming} /> : null}
        {node.contradictions.length + node.near_duplicates.length > 0 ? (
          <Link
            to="/workflow-runs/$workflowRunId"
            params={{ workflowRunId: run.workflow_run_id }}
            search={{ node: node.id, view: 'comparison' }}
            className="inline-flex items-center gap-1 text-warning hover:underline"
          >
            <GitCompareArrows aria-hidden className="size-4" />
            {plural(node.contradictions.length, 'contradiction')} and{' '}
            {plural(node.near_duplicates.length, 'near-duplicate')} between upstream agents
          </Link>
        ) : null}
      </div>
      {only === undefined || node.tasks.length > 1 || node.plan ? null : (
        <ul className="border-t">
          {/* The node's error is shown below, so it is not repeated here. */}
          <Task workflowRunId={run.workflow_run_id} task={node.error ? { ...only, error: null } : only} />
        </ul>
      )}
    </Card>
  )
}

function Upstream({ runId, edges }: { runId: string; edges: Api.WorkflowEdgeView[] }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <span className="text-muted">Upstream</span>
      {edges.map((edge, index) => (
        <span key={index} className="inline-flex items-center gap-1">
          <NodeLink runId={runId} node={edge.from} />
          {edge.when ? <code className="text-muted">when {plain(edge.when)}</code> : null}
          {edge.taken === false ? <Badge>not taken</Badge> : null}
        </span>
      ))}
    </span>
  )
}

function Warning({ text }: { text: string }) {
  return (
    <p className="flex items-start gap-2 rounded-card border border-warning/40 bg-warning-soft px-4 py-2.5">
      <TriangleAlert aria-label="Warning" className="mt-0.5 size-5 shrink-0 text-warning" />
      <span className="[overflow-wrap:anywhere]">{plain(text)}</span>
    </p>
  )
}
