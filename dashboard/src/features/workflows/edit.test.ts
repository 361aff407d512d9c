import { expect, it } from 'vitest'
import { fromPlain, toPlain } from '@/lib/lossless'
import { readYaml } from '@/lib/yaml-text'
import { textOf } from './document'
import {
  addEdge, addNode, clearPositions, removeEdges, removeNodes, renameNode, setMember, setPart, setParts, setPositions, setWhen,
} from './edit'

const TEXT = `# Three specialists.
name: review # short
x-team: blue

nodes:
  input: { type: input }
  # Looks for holes.
  security:
    type: agent
    agent: security # the careful one
    temperature: 0.10
    limit: 9007199254740993
  writer:
    type: agent
    agent: 'writer'
    prompt: "Join {{ security.findings }} and {{ other.security }}, 'security'"
  sure:
    type: check
    assert: security.findings.size() > 0 && other.security != "security"

edges:
  - { from: input, to: security } # first
  - { from: security, to: writer, when: output.ok }
  - { from: security, to: sure }
`

const value = (text: string) => toPlain(readYaml(text).value) as { nodes: Record<string, unknown>; edges: unknown[] }

it('keeps everything else unchanged', () => {
  expect(setMember('description', undefined)(TEXT)).toBe(TEXT)
  expect(setMember('description', 'Two and one')(TEXT)).toBe(`${TEXT}description: Two and one\n`)
  expect(setPart('security', ['agent'], 'guard')(TEXT)).toBe(TEXT.replace('agent: security #', 'agent: guard #'))
  expect(setPart('writer', ['agent'], 'poet')(TEXT)).toBe(TEXT.replace("'writer'", "'poet'"))
})

it('adds nodes and edges, and removes nodes with their edges', () => {
  const added = addEdge('writer', 'output')(addNode({ id: 'output', kind: 'output', position: { x: 1.4, y: 2 } })(TEXT))
  expect(added).toContain('  output:\n    type: output\n    position: { x: 1, y: 2 }\n')
  expect(added.endsWith('  - { from: writer, to: output }\n')).toBe(true)
  const removed = removeNodes(['security'])(added)
  expect(value(removed).edges).toEqual([{ from: 'writer', to: 'output' }])
  expect(Object.keys(value(removed).nodes)).toEqual(['input', 'writer', 'sure', 'output'])
  expect(removed).toContain('# Three specialists.')
  expect(value(removeEdges([0, 2])(TEXT)).edges).toEqual([{ from: 'security', to: 'writer', when: 'output.ok' }])
})

it('sets the agent or workflow of a new node', () => {
  const worker = { kind: 'workflow', name: 'inner' } as const
  expect(value(addNode({ id: 'inner', kind: 'agent', worker })(TEXT)).nodes['inner']).toEqual({ type: 'agent', workflow: 'inner' })
})

it('sets and removes conditions and parts', () => {
  expect(setWhen(1, '')(TEXT)).toContain('- { from: security, to: writer }\n')
  expect(setWhen(0, 'output.a == "b"')(TEXT)).toContain(`- { from: input, to: security, when: output.a == "b" } # first`)
  const schema = fromPlain({ type: 'object', properties: { a: { type: 'string' } } })
  const withSchema = setPart('security', ['output_schema'], schema)(TEXT)
  expect(value(withSchema).nodes['security']).toMatchObject({ output_schema: { type: 'object', properties: { a: { type: 'string' } } } })
  expect(setPart('security', ['output_schema'], undefined)(withSchema)).toBe(TEXT)
  const failing = setPart('sure', ['on_failure', 'retry'], 2)(TEXT)
  expect(value(failing).nodes['sure']).toMatchObject({ on_failure: { retry: 2 } })
  expect(setPart('sure', ['on_failure', 'retry'], undefined)(failing)).toBe(TEXT)
  expect(setPart('gone', ['agent'], 'x')(TEXT)).toBe(TEXT)
})

it('expands a one-line node when it gets a nested value', () => {
  const opened = setParts('input', [[['description'], 'It'], [['schema'], fromPlain({ type: 'object' })]])(TEXT)
  expect(opened).toContain('  input:\n    type: input\n    description: It\n    schema:\n      type: object\n')
})

it('writes multi-line texts as block literals', () => {
  expect(setPart('writer', ['prompt'], 'one\ntwo')(TEXT)).toContain('    prompt: |-\n      one\n      two\n')
})

it('keeps the digits of numbers', () => {
  const moved = setPositions(new Map([['security', { x: 3, y: 4 }]]))(TEXT)
  expect(moved).toContain('temperature: 0.10\n')
  expect(moved).toContain('limit: 9007199254740993\n')
  expect(moved).toContain('position: { x: 3, y: 4 }')
  expect(clearPositions()(moved)).toBe(TEXT)
})

it('renames a node only where it is referenced', () => {
  const text = renameNode('security', 'guard')(TEXT)
  expect(text).toContain('  # Looks for holes.\n  guard:\n')
  expect(text).toContain('agent: security # the careful one')
  expect(text).toContain(`"Join {{ guard.findings }} and {{ other.security }}, 'security'"`)
  expect(text).toContain('assert: guard.findings.size() > 0 && other.security != "security"')
  expect(value(text).edges).toEqual([
    { from: 'input', to: 'guard' },
    { from: 'guard', to: 'writer', when: 'output.ok' },
    { from: 'guard', to: 'sure' },
  ])
  expect(renameNode('security', 'writer')(TEXT)).toBe(TEXT)
})

it('separates nodes that share an anchor', () => {
  const shared = 'nodes:\n  a: &same { type: agent, agent: x }\n  b: *same\nedges: []\n'
  const text = setPart('b', ['agent'], 'y')(shared)
  expect(value(text).nodes).toEqual({ a: { type: 'agent', agent: 'x' }, b: { type: 'agent', agent: 'y' } })
  expect(value(removeNodes(['a'])(shared)).nodes).toEqual({ b: { type: 'agent', agent: 'x' } })
})

it('leaves invalid text unchanged', () => {
  for (const text of ['nodes: [', '- a\n- b\n', '']) {
    expect(addEdge('a', 'b')(text)).toBe(text)
    expect(setMember('name', 'x')(text)).toBe(text)
  }
})

it('writes each edge of a new document on one line', () => {
  expect(textOf(fromPlain({ name: 'a', nodes: { b: { type: 'output', position: { x: 1, y: 2 } } }, edges: [{ from: 'b', to: 'b' }] }))).toBe(
    'name: a\n\nnodes:\n  b:\n    type: output\n    position: { x: 1, y: 2 }\n\nedges:\n  - { from: b, to: b }\n',
  )
})
