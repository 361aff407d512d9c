import { describe, expect, it } from 'vitest'
import { type Graph, readGraph } from '@/components/graph/model'
import { fromPlain } from '@/lib/lossless'
import { readYaml } from '@/lib/yaml-text'
import { edgeFault, possibleEnds } from './connect'
import { newHistory, pushed, redone, undone } from './history'
import { freeId, newWorkflowText, idFault, inputSchema, groupProblems, unknownParts } from './model'

const graph: Graph = readGraph(
  fromPlain({
    nodes: { input: { type: 'input' }, a: { type: 'agent', agent: 'a' }, b: { type: 'agent', agent: 'b' }, output: { type: 'output' } },
    edges: [{ from: 'input', to: 'a' }, { from: 'a', to: 'b' }, { from: 'b', to: 'output' }],
  }),
)

describe('edges while they are drawn', () => {
  it.each([
    ['a', 'a', 'a cannot connect to itself'],
    ['a', 'input', 'the workflow input cannot have upstream nodes'],
    ['output', 'a', 'a workflow output cannot have downstream nodes'],
    ['a', 'b', 'a is already connected to b'],
    ['b', 'a', 'it would create a cycle: a → b → a'],
    ['input', 'b', null],
    ['a', 'output', null],
  ])('%s → %s', (from, to, fault) => expect(edgeFault(graph, from, to)).toBe(fault))

  it('offers only nodes that can be connected', () => {
    expect(possibleEnds(graph, 'b', 'from')).toEqual(['input'])
    expect(possibleEnds(graph, 'input', 'to')).toEqual(['b', 'output'])
  })
})

describe('undo', () => {
  it('undoes and redoes, and clears the redo stack after a new change', () => {
    let history = pushed(pushed(newHistory('a'), 'b', 0), 'c', 1)
    history = undone(undone(undone(history)))
    expect(history.present).toBe('a')
    history = redone(history)
    expect(history.present).toBe('b')
    history = pushed(history, 'd', 2)
    expect([redone(history).present, undone(history).present]).toEqual(['d', 'b'])
  })

  it('groups typing into one step until a pause or another change', () => {
    let history = newHistory('')
    for (const [text, at] of [['h', 0], ['ho', 300], ['hou', 600]] as const) history = pushed(history, text, at, 'prompt')
    history = pushed(history, 'house', 5_000, 'prompt')
    history = pushed(history, 'house!', 5_100, 'message')
    expect(history.past).toEqual(['', 'hou', 'house'])
    expect(pushed(history, 'house!', 9_000)).toBe(history)
  })
})

it('finds free ids that are valid in templates', () => {
  expect(freeId(graph, 'a')).toBe('a_2')
  expect(freeId(graph, 'security-reviewer')).toBe('security_reviewer')
  expect(freeId(graph, 'plan')).toBe('plan_1')
  expect(freeId(graph, '2nd')).toBe('_2nd')
  expect(freeId(graph, 'output')).toBe('output_2')
  expect(idFault('a', graph, 'a')).toBe(null)
  expect(idFault('a b', graph)).toMatch(/letters/)
  expect(idFault('item', graph)).toMatch(/reserved/)
})

it('groups problems by node and edge', () => {
  const of = (path: string) => ({ path, severity: 'error' as const, message: path })
  const { nodes, edges, whole } = groupProblems([of('$.nodes.a.agent'), of('$.nodes.a'), of('$.edges[2].when'), of('$.name'), of('$.nodes')])
  expect([...nodes].map(([id, found]) => [id, found.length])).toEqual([['a', 2]])
  expect([...edges.keys()]).toEqual([2])
  expect(whole.map(({ path }) => path)).toEqual(['$.name', '$.nodes'])
})

it('finds unknown fields of a node', () => {
  const node = fromPlain({ type: 'check', assert: 'true', position: {}, agent: 'x', colour: 'red' }) as ReadonlyMap<string, never>
  expect(unknownParts('check', node)).toEqual(['agent', 'colour'])
  expect(unknownParts('unknown', node)).toEqual([])
})

it('starts a new workflow with an input and an output', () => {
  const { value } = readYaml(newWorkflowText())
  expect(readGraph(value).nodes.map((node) => node.id)).toEqual(['input', 'output'])
  expect(inputSchema(value)).toEqual(fromPlain({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }))
})
