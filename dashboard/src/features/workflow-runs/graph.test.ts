import { expect, it } from 'vitest'
import type { Api } from '@/api'
import { breadthOf, graphOf, noteOf } from './graph'

const node = (id: string, type: string, more: Partial<Api.WorkflowNodeView> = {}) =>
  ({ id, type, status: 'completed', tasks: [], ...more }) as Api.WorkflowNodeView

it('builds the graph of a run', () => {
  const nodes = [
    node('in', 'input'),
    node('a', 'agent', { agent_name: 'helper' }),
    node('b', 'agent', {
      agent_name: 'inner',
      tasks: [{ name: 'whole', status: 'running', attempts: 1, earlier: [], worker: { kind: 'workflow', workflow_run_id: 'wfr_2' } }],
    }),
    node('c', 'something-new'),
  ]
  const edges = [{ from: 'in', to: 'a', when: 'true', taken: false }, { from: 'in', to: 'b' }]
  const graph = graphOf({ nodes, edges } as Api.WorkflowRunView)
  expect(graph.nodes.map(({ kind, worker }) => [kind, worker?.kind, worker?.name])).toEqual([
    ['input', undefined, undefined],
    ['agent', 'agent', 'helper'],
    ['agent', 'workflow', 'inner'],
    ['unknown', undefined, undefined],
  ])
  expect(graph.edges.map(({ from, to, when, taken }) => [from, to, when, taken])).toEqual([
    ['in', 'a', 'true', false],
    ['in', 'b', null, null],
  ])
})

it('shows the progress, duration and failed tasks of a node', () => {
  const times = { started_at: '2026-01-01T00:00:00Z', finished_at: '2026-01-01T00:00:02Z' }
  const task = (status: Api.NodeStatus): Api.WorkflowTaskView => ({ name: 'x', status, attempts: 1, earlier: [] })
  expect([
    noteOf(node('a', 'map', { tasks: [task('completed'), task('running')] })),
    noteOf(node('a', 'map', { tasks: [task('completed'), task('failed')] })),
    noteOf(node('a', 'agent', { ...times, tasks: [task('completed')] })),
    noteOf(node('a', 'input', times)),
  ]).toEqual(['1 of 2', '1 failed', '2.0 s', ''])
})

it('computes the breadth of a graph', () => {
  const graph = (links: string[]) => {
    const edges = links.map((link, index) => ({ id: link, index, from: link[0] ?? '', to: link[1] ?? '', when: null }))
    const ids = new Set(edges.flatMap(({ from, to }) => [from, to]))
    return { nodes: graphOf({ nodes: [...ids].map((id) => node(id, 'agent')), edges: [] } as never).nodes, edges }
  }
  expect([graph([]), graph(['ab', 'bc']), graph(['ab', 'ac', 'bd', 'cd', 'ad'])].map(breadthOf)).toEqual([0, 1, 2])
})
