/** Prepares the data of a workflow run page. */
import type { Api } from '@/api'
import { KINDS, kindOf } from '@/components/graph/kinds'
import { follow, readJson } from '@/lib/json-text'

export interface Reading {
  run: Api.WorkflowRunView
  /** The source text of a part, with the original digits of numbers; null if there is none. */
  part: (...path: string[]) => string | null
}

export function readRun(text: string): Reading {
  const { node } = readJson(text)
  return {
    run: JSON.parse(text) as Api.WorkflowRunView,
    part: (...path) => {
      const found = node && follow(node, path)
      if (!found || found.depth < path.length || found.node.kind === 'null') return null
      return text.slice(found.node.start, found.node.end)
    },
  }
}

export const VIEWS = ['comparison', 'node', 'timeline', 'result', 'input'] as const
export type View = (typeof VIEWS)[number]

/** The selected node: the one in the URL, or the failed node if the URL has neither a node nor a view. */
export function nodeOf(run: Api.WorkflowRunView, requested: { view?: View; node?: string }): string | undefined {
  if (requested.node !== undefined || requested.view !== undefined || run.status !== 'failed') return requested.node
  return run.nodes.find((node) => node.status === 'failed')?.id
}

/** The default view: the failed node, the comparison if there are contradictions, else the result. */
export function viewOf(run: Api.WorkflowRunView, requested: { view?: View; node?: string }): View {
  const node = nodeOf(run, requested)
  if (requested.view === 'node' && node === undefined) return 'comparison'
  if (requested.view !== undefined) return requested.view
  if (node !== undefined) return 'node'
  const { contradictions, nearDuplicates } = countsOf(run)
  return contradictions + nearDuplicates > 0 || run.status !== 'completed' ? 'comparison' : 'result'
}

export interface Counts {
  contradictions: number
  nearDuplicates: number
  agreements: number
}

export function countsOf(run: Api.WorkflowRunView): Counts {
  const sum = (of: (node: Api.WorkflowNodeView) => unknown[]) =>
    run.nodes.reduce((total, node) => total + of(node).length, 0)
  return {
    contradictions: sum((node) => node.contradictions),
    nearDuplicates: sum((node) => node.near_duplicates),
    agreements: sum((node) => node.agreements),
  }
}

/** Whether outputs were compared: some node was reached that has two or more upstream agents with an output. */
export function isCompared(run: Api.WorkflowRunView): boolean {
  const byId = new Map(run.nodes.map((node) => [node.id, node]))
  return run.nodes.some((node) => {
    if (node.status === 'waiting' || node.status === 'skipped') return false
    const upstream = new Set(run.edges.filter(({ to }) => to === node.id).map(({ from }) => from))
    const answered = [...upstream].filter((id) => {
      const from = byId.get(id)
      return from !== undefined && KINDS[kindOf(from.type)].hasAgents && from.status === 'completed'
    })
    return answered.length > 1
  })
}

const FINISHED: Api.NodeStatus[] = ['completed', 'failed', 'skipped', 'stopped']

/** The number of finished nodes and of all nodes. */
export function progressOf(run: Api.WorkflowRunView): { finished: number; all: number } {
  return { finished: run.nodes.filter((node) => FINISHED.includes(node.status)).length, all: run.nodes.length }
}

/** All runs of a task, the newest last. */
export function workersOf(task: Api.WorkflowTaskView): Api.Worker[] {
  return task.worker ? [...task.earlier, task.worker] : task.earlier
}

/** The agent runs of a workflow run, including failed attempts. */
export function runIdsOf(run: Api.WorkflowRunView): string[] {
  return run.nodes.flatMap((node) =>
    node.tasks.flatMap((task) => workersOf(task).flatMap((worker) => (worker.kind === 'run' ? [worker.run_id] : []))),
  )
}

/** The open input requests of a node's runs. */
export function inputsOf(node: Api.WorkflowNodeView, open: readonly Api.InputRequest[]): Api.InputRequest[] {
  const runs = node.tasks.flatMap(({ worker }) => (worker?.kind === 'run' ? [worker.run_id] : []))
  return open.filter(({ run_id }) => runs.includes(run_id))
}

export interface Usage {
  input: number
  output: number
  /** Null if no price is known. */
  cost: number | null
}

export function usageOf(runs: Api.RunView[]): Usage {
  const costs = runs.flatMap(({ usage }) => (typeof usage.cost_usd === 'number' ? [usage.cost_usd] : []))
  return {
    input: runs.reduce((sum, { usage }) => sum + usage.input_tokens, 0),
    output: runs.reduce((sum, { usage }) => sum + usage.output_tokens, 0),
    cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  }
}

/** The number of tasks by status, in the order of a task's lifecycle. */
export function tally(tasks: Api.WorkflowTaskView[]): [Api.NodeStatus, number][] {
  const order: Api.NodeStatus[] = ['waiting', 'running', 'completed', 'failed', 'skipped', 'stopped']
  return order
    .map((status): [Api.NodeStatus, number] => [status, tasks.filter((task) => task.status === status).length])
    .filter(([, number]) => number > 0)
}

export interface Subtask {
  id: string
  description: string
  agent: string
  dependencies: string[]
  /** The task that runs it; null if it does not exist yet. */
  task: Api.WorkflowTaskView | null
}

export const isSubtask = (task: Api.WorkflowTaskView): boolean => task.name.startsWith('subtask ')

/** The subtasks of a plan with their tasks. Empty if the plan is malformed. */
export function subtasksOf(node: Api.WorkflowNodeView): Subtask[] {
  const subtasks = node.plan?.['subtasks']
  if (!Array.isArray(subtasks)) return []
  return subtasks.filter(isRecord).map((each) => {
    const id = String(each['id'] ?? '')
    const dependencies = Array.isArray(each['dependencies']) ? each['dependencies'].map(String) : []
    const task = node.tasks.find((known) => known.name === `subtask ${id}`) ?? null
    return { id, description: String(each['description'] ?? ''), agent: String(each['agent'] ?? ''), dependencies, task }
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The label of a task. `whole` is the node's only task. */
export function taskLabel(task: Api.WorkflowTaskView): string {
  const item = /^item (\d+)$/.exec(task.name)
  if (item !== null) return `Item ${Number(item[1]) + 1}`
  return task.name === 'whole' ? 'Work' : task.name.charAt(0).toUpperCase() + task.name.slice(1)
}

/** Whether the run crashed coordinators. The server then does not load its nodes. */
export function isPoisoned(run: Api.WorkflowRunView): boolean {
  return run.status === 'failed' && run.error?.type === 'poisoned'
}

/** Whether a run can be resumed: it was stopped, or a node has failed. A run whose nodes were only skipped by conditions cannot. */
export function canResume(run: Api.WorkflowRunView): boolean {
  return run.status === 'stopped' || (run.status === 'failed' && run.nodes.some(({ status }) => status === 'failed' || status === 'stopped'))
}
