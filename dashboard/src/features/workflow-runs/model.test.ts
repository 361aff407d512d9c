import { expect, it } from 'vitest'
import type { Api } from '@/api'
import { canResume, countsOf, isCompared, isPoisoned, nodeOf, progressOf, readRun, runIdsOf, subtasksOf, tally, taskLabel, usageOf, viewOf } from './model'

type NodeView = Api.WorkflowNodeView

const task = (name: string, more: Partial<Api.WorkflowTaskView> = {}): Api.WorkflowTaskView => ({
  name, status: 'completed', attempts: 1, earlier: [], ...more,
})
const node = (id: string, more: Partial<NodeView> = {}): NodeView => ({
  id, type: 'agent', status: 'completed', contradictions: [], near_duplicates: [], agreements: [], tasks: [], ...more,
})
const run = (nodes: NodeView[], more: Partial<Api.WorkflowRunView> = {}) =>
  ({ workflow_run_id: 'wfr_1', workflow_name: 'w', status: 'completed', nodes, edges: [], ...more }) as Api.WorkflowRunView
const worker = (id: string): Api.Worker => ({ kind: 'run', run_id: `run_${id}`, session_id: `ses_${id}` })
const contradiction: Api.Contradiction = { kind: 'different_values', key: {}, field: 'severity', sides: [] }

it('keeps the digits of numbers', () => {
  const { part } = readRun('{"output": {"cost": 1.10}, "input": null, "nodes": [{"output": 12345678901234567890}]}')
  expect([part('output'), part('input'), part('nodes', '0', 'output'), part('nodes', '1', 'output')]).toEqual([
    '{"cost": 1.10}', null, '12345678901234567890', null,
  ])
})

it('selects the most relevant view', () => {
  const disputed = run([node('a', { contradictions: [contradiction] })])
  expect([
    viewOf(disputed, {}),
    viewOf(run([node('a')]), {}),
    viewOf(run([node('a')], { status: 'running' }), {}),
    viewOf(disputed, { node: 'a' }),
    viewOf(disputed, { node: 'a', view: 'input' }),
    viewOf(disputed, { view: 'node' }),
  ]).toEqual(['comparison', 'result', 'comparison', 'node', 'input', 'comparison'])
})

it('counts findings and finished nodes', () => {
  const given = run([node('a', { contradictions: [contradiction] }), node('b', { status: 'running' }), node('c', { status: 'skipped' })])
  expect([countsOf(given), progressOf(given)]).toEqual([
    { contradictions: 1, nearDuplicates: 0, agreements: 0 },
    { finished: 2, all: 3 },
  ])
})

it('lists all runs, including failed attempts, and sums up their usage', () => {
  const tasks = [
    task('whole', { worker: worker('2'), earlier: [worker('1')] }),
    task('item 0', { worker: { kind: 'workflow', workflow_run_id: 'wfr_2' } }),
  ]
  expect(runIdsOf(run([node('a', { tasks })]))).toEqual(['run_1', 'run_2'])
  const used = (input_tokens: number, cost_usd?: number) => ({ usage: { input_tokens, output_tokens: 1, cost_usd } }) as Api.RunView
  expect(usageOf([used(2), used(3, 0.5)])).toEqual({ input: 5, output: 2, cost: 0.5 })
  expect(usageOf([used(2)])).toEqual({ input: 2, output: 1, cost: null })
})

it('matches the subtasks of a plan with their tasks', () => {
  const first = task('subtask first')
  const plan = { subtasks: [{ id: 'first', description: 'x', agent: 'helper', dependencies: ['zero'] }, { id: 'second' }, 'odd'] }
  expect(subtasksOf(node('p', { plan, tasks: [task('plan'), first] }))).toEqual([
    { id: 'first', description: 'x', agent: 'helper', dependencies: ['zero'], task: first },
    { id: 'second', description: '', agent: '', dependencies: [], task: null },
  ])
  expect(subtasksOf(node('p', { plan: { subtasks: 'none' } }))).toEqual([])
})

it('labels tasks', () => {
  expect(['whole', 'item 0', 'plan', 'subtask x'].map((name) => taskLabel(task(name)))).toEqual([
    'Work', 'Item 1', 'Plan', 'Subtask x',
  ])
  const tasks = [task('item 0', { status: 'failed' }), task('item 1'), task('item 2')]
  expect(tally(tasks)).toEqual([['completed', 2], ['failed', 1]])
})

it('detects a poisoned run', () => {
  const fault = (type: string) => ({ type, message: 'm' })
  expect([
    isPoisoned(run([], { status: 'failed', error: fault('poisoned') })),
    isPoisoned(run([], { status: 'failed', error: fault('timed_out') })),
    isPoisoned(run([], { status: 'running', error: null })),
  ]).toEqual([true, false, false])
})

it('can resume failed and stopped runs', () => {
  expect([
    canResume(run([node('a'), node('b', { status: 'failed' })], { status: 'failed' })),
    canResume(run([], { status: 'stopped' })),
    canResume(run([node('a'), node('b', { status: 'skipped' })], { status: 'failed' })),
    canResume(run([node('a')], { status: 'completed' })),
    canResume(run([node('a', { status: 'failed' })], { status: 'running' })),
  ]).toEqual([true, true, false, false, false])
})

it('selects the failed node unless the URL selects another', () => {
  const failed = run([node('a'), node('b', { status: 'failed' })], { status: 'failed' })
  expect([nodeOf(failed, {}), nodeOf(failed, { node: 'a' }), nodeOf(failed, { view: 'comparison' }), nodeOf(run([node('a')]), {})]).toEqual([
    'b', 'a', undefined, undefined,
  ])
  expect(viewOf(failed, {})).toBe('node')
})

it('detects whether outputs were compared', () => {
  const edges = [{ from: 'a', to: 'c' }, { from: 'b', to: 'c' }]
  const graph = (b: Api.NodeStatus, c: Api.NodeStatus) => run([node('a'), node('b', { status: b }), node('c', { status: c })], { edges })
  expect(isCompared(graph('completed', 'completed'))).toBe(true)
  expect(isCompared(graph('failed', 'skipped'))).toBe(false)
  expect(isCompared(graph('completed', 'waiting'))).toBe(false)
  expect(isCompared(run([node('a'), node('c')], { edges: edges.slice(0, 1) }))).toBe(false)
})
