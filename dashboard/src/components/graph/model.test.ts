import { expect, it } from 'vitest'
import { fromPlain } from '@/lib/lossless'
import { CARD, arrange, directionOf, freePlace } from './layout'
import { type Graph, readGraph, subtitleOf } from './model'

const schema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'array', items: { type: 'object', properties: { c: {} } } } } }

const layout = (...given: Parameters<typeof arrange>) => arrange(...given).places

it('reads nodes and edges of every kind', () => {
  const graph = readGraph(
    fromPlain({
      nodes: {
        input: { type: 'input' },
        one: { type: 'agent', agent: 'security', output_schema: schema, position: { x: 4, y: 8.5 } },
        two: { type: 'agent', agent: { name: 'here' } },
        three: { type: 'agent', workflow: 'review' },
        each: { type: 'map', over: '{{ one.b }}', agent: 'x' },
        plan: { type: 'planner', agent: 'p', agents: ['x'] },
        sure: { type: 'check', assert: 'true' },
        odd: { type: 'teapot' },
        worse: 7,
        output: { type: 'output' },
      },
      edges: [{ from: 'input', to: 'one' }, { from: 'one', to: 'gone' }, 'no edge', { from: 'one', to: 'output', when: 'output.a' }],
    }),
  )
  expect(graph.nodes.map((node) => [node.id, node.kind, subtitleOf(node)])).toEqual([
    ['input', 'input', 'workflow input'],
    ['one', 'agent', 'security'],
    ['two', 'agent', 'here (inline)'],
    ['three', 'agent', 'review (workflow)'],
    ['each', 'map', 'each item: x'],
    ['plan', 'planner', 'plans: p'],
    ['sure', 'check', 'true'],
    ['odd', 'unknown', 'type teapot'],
    ['worse', 'unknown', 'no type'],
    ['output', 'output', 'workflow output'],
  ])
  expect(graph.nodes[1]).toEqual({
    id: 'one',
    kind: 'agent',
    worker: { kind: 'agent', name: 'security' },
    detail: '',
    fields: 3,
    position: { x: 4, y: 8.5 },
  })
  expect(graph.edges).toEqual([
    { id: '0:input>one', index: 0, from: 'input', to: 'one', when: null },
    { id: '3:one>output', index: 3, from: 'one', to: 'output', when: 'output.a' },
  ])
})

it('reads an empty graph from an invalid document', () => {
  for (const value of [null, 'text', [], { nodes: 5, edges: {} }]) expect(readGraph(fromPlain(value))).toEqual({ nodes: [], edges: [] })
})

function chain(length: number, edges = true): Graph {
  const nodes = Object.fromEntries(Array.from({ length }, (_, index) => [`n${index}`, { type: 'agent', agent: 'a' }]))
  const links = Array.from({ length: length - 1 }, (_, index) => ({ from: `n${index}`, to: `n${index + 1}` }))
  return readGraph(fromPlain({ nodes, edges: edges ? links : [] }))
}

it.each([3, 700])('lays out a chain of %i nodes downwards or to the right', (length) => {
  const down = layout(chain(length))
  const right = layout(chain(length), { direction: 'right' })
  for (let index = 1; index < length; index += 1) {
    expect(down.get(`n${index}`)?.y).toBeGreaterThan(down.get(`n${index - 1}`)?.y ?? Infinity)
    expect(right.get(`n${index}`)?.x).toBeGreaterThan(right.get(`n${index - 1}`)?.x ?? Infinity)
  }
})

it('places siblings in document order, and unconnected nodes between input and output', () => {
  const nodes = { input: { type: 'input' }, a: { type: 'agent' }, b: { type: 'agent' }, c: { type: 'agent' }, loose: { type: 'check' }, output: { type: 'output' } }
  const edges = ['a', 'b', 'c'].flatMap((id) => [{ from: 'input', to: id }, { from: id, to: 'output' }])
  const places = layout(readGraph(fromPlain({ nodes, edges })))
  const across = ['a', 'b', 'c'].map((id) => places.get(id)?.x ?? 0)
  expect(across).toEqual([...across].sort((left, right) => left - right))
  expect(places.get('loose')?.y).toBe(places.get('a')?.y)
})

it('routes an edge around other nodes', () => {
  const nodes = { a: { type: 'agent' }, b: { type: 'agent' }, c: { type: 'agent' } }
  const edges = [{ from: 'a', to: 'b' }, { from: 'b', to: 'c' }, { from: 'a', to: 'c' }]
  const { places, routes } = arrange(readGraph(fromPlain({ nodes, edges })))
  expect([...routes.keys()]).toEqual(['2:a>c'])
  const beside = places.get('b')?.x ?? 0
  const passing = (routes.get('2:a>c') ?? []).filter(({ y }) => Math.abs(y - (places.get('b')?.y ?? 0) - CARD.height / 2) < CARD.height / 2)
  expect(passing.length).toBeGreaterThan(0)
  for (const { x } of passing) expect(x < beside || x > beside + CARD.width).toBe(true)
})

it('lays out a cycle', () => {
  const graph = readGraph(
    fromPlain({ nodes: { a: { type: 'agent' }, b: { type: 'agent' } }, edges: [{ from: 'a', to: 'b' }, { from: 'b', to: 'a' }, { from: 'a', to: 'a' }] }),
  )
  expect(new Set([...layout(graph).values()].map(({ y }) => y)).size).toBe(2)
})

it('keeps saved positions and places other nodes without overlap', () => {
  const graph = readGraph(
    fromPlain({ nodes: { a: { type: 'agent', position: { x: 0, y: 0 } }, b: { type: 'agent', position: { x: 0, y: 60 } }, c: { type: 'agent' } } }),
  )
  const places = layout(graph)
  expect(places.get('a')).toEqual({ x: 0, y: 0 })
  const others = [places.get('a'), places.get('b')].map((place) => place ?? { x: 0, y: 0 })
  const mine = places.get('c') ?? { x: 0, y: 0 }
  expect(freePlace(mine, CARD, others)).toEqual(mine)
})

it('derives the direction from saved positions', () => {
  const placed = (x: number, y: number) =>
    readGraph(fromPlain({ nodes: { a: { type: 'agent', position: { x: 0, y: 0 } }, b: { type: 'agent', position: { x, y } } }, edges: [{ from: 'a', to: 'b' }] }))
  expect([directionOf(placed(10, 200)), directionOf(placed(300, 50)), directionOf(chain(3))]).toEqual(['down', 'right', null])
})
