import { describe, expect, it } from 'vitest'
import { type Graph, readGraph } from '@/components/graph/model'
import { fromPlain } from '@/lib/lossless'
import { readYaml } from '@/lib/yaml-text'
import { edgeFault, possibleEnds } from './connect'
import { begin, changed, redone, undone } from './history'
import { freeId, freshText, idFault, inputSchema, spotted, unknownParts } from './model'

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

  it('offers only ends that can be', () => {
    expect(possibleEnds(graph, 'b', 'from')).toEqual(['input'])
    expect(possibleEnds(graph, 'input', 'to')).toEqual(['b', 'output'])
  })
})

describe('undo', () => {
  it('goes back and forth, and forgets what was undone when something else is done', () => {
    let history = changed(changed(begin('a'), 'b', 0), 'c', 1)
    history = undone(undone(undone(history)))
    expect(history.present).toBe('a')
    history = redone(history)
    expect(history.present).toBe('b')
    history = changed(history, 'd', 2)
    expect([redone(history).present, undone(history).present]).toEqual(['d', 'b'])
  })

  it('takes typing for one step, until there is a pause or something else', () => {
    let history = begin('')
    for (const [text, at] of [['h', 0], ['ho', 300], ['hou', 600]] as const) history = changed(history, text, at, 'prompt')
    history = changed(history, 'house', 5_000, 'prompt')
    history = changed(history, 'house!', 5_100, 'message')
    expect(history.past).toEqual(['', 'hou', 'house'])
    expect(changed(history, 'house!', 9_000)).toBe(history)
  })
})

it('finds free ids that templates can name', () => {
  expect(freeId(graph, 'a')).toBe('a_2')
  expect(freeId(graph, 'security-reviewer')).toBe('security_reviewer')
  expect(freeId(graph, 'plan')).toBe('plan_1')
  expect(freeId(graph, '2nd')).toBe('_2nd')
  expect(freeId(graph, 'output')).toBe('output_2')
  expect(idFault('a', graph, 'a')).toBe(null)
  expect(idFault('a b', graph)).toMatch(/letters/)
  expect(idFault('item', graph)).toMatch(/reserved/)
})

it('knows what a problem is about', () => {
  const of = (path: string) => ({ path, severity: 'error' as const, message: path })
  const { nodes, edges, whole } = spotted([of('$.nodes.a.agent'), of('$.nodes.a'), of('$.edges[2].when'), of('$.name'), of('$.nodes')])
  expect([...nodes].map(([id, found]) => [id, found.length])).toEqual([['a', 2]])
  expect([...edges.keys()]).toEqual([2])
  expect(whole.map(({ path }) => path)).toEqual(['$.name', '$.nodes'])
})

it('says which parts of a node nobody knows', () => {
  const node = fromPlain({ type: 'check', assert: 'true', position: {}, agent: 'x', colour: 'red' }) as ReadonlyMap<string, never>
  expect(unknownParts('check', node)).toEqual(['agent', 'colour'])
  expect(unknownParts('unknown', node)).toEqual([])
})

it('begins with what goes in and what comes out', () => {
  const { value } = readYaml(freshText())
  expect(readGraph(value).nodes.map((node) => node.id)).toEqual(['input', 'output'])
  expect(inputSchema(value)).toEqual(fromPlain({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }))
})
