import { describe, expect, it } from 'vitest'
import { type JsonMap, fromPlain, write } from '@/lib/lossless'
import { contractKind, newBlueprint, itemOf, lineOf, problemAt, tabOf, tidied, unknownFields, withContractKind, withExecutor } from './model'

const map = (value: object) => fromPlain(value) as JsonMap

describe('problems', () => {
  it('belong to the tab where they can be fixed', () => {
    const paths = ['$', '$.executor.model', '$.executor.allowed_tools', '$.output_schema_options.strategy', '$.invariants[0].rule', '$.mcp_servers["a b"]']
    expect(paths.map((path) => tabOf({ path }))).toEqual(['general', 'general', 'tools', 'output', 'invariants', 'tools'])
  })

  it('are found by path', () => {
    const problem = { severity: 'error' as const, path: '$.invariants[1].rule', message: 'm' }
    expect(problemAt([problem], ['invariants', '1'])).toBe(problem)
    expect(problemAt([problem], ['invariants', '0'])).toBeUndefined()
  })
})

describe('a contract', () => {
  const agent = map({ name: 'a', output_schema: { type: 'object' }, output_schema_options: { max_retries: 3 }, tags: ['x'] })

  it('moves with its options and keeps its position', () => {
    const suggested = withContractKind(agent, 'default_output_schema')
    expect(write(suggested)).toBe(
      '{"name":"a","default_output_schema":{"type":"object"},"tags":["x"],"default_output_schema_options":{"max_retries":3}}',
    )
    expect(contractKind(suggested)).toBe('default_output_schema')
  })

  it('is removed with its options, and starts over when added again', () => {
    const none = withContractKind(agent, 'none')
    expect(write(none)).toBe('{"name":"a","tags":["x"]}')
    expect(contractKind(withContractKind(none, 'output_schema'))).toBe('output_schema')
    expect(contractKind(map({ output_schema: null, default_output_schema: 'registered' }))).toBe('default_output_schema')
  })
})

it('keeps settings that both executors have', () => {
  const agent = map({ name: 'a', type: 'autonomous', executor: { type: 'llm', provider: 'openai', model: 'm', timeout_seconds: 5 } })
  expect(write(withExecutor(agent, 'codex'))).toBe(
    '{"name":"a","type":"autonomous","executor":{"type":"codex","timeout_seconds":5,"model":"m"}}',
  )
  expect(write(withExecutor(agent, 'process'))).toContain('"type":"procedural","executor":{"type":"process","command":"","timeout_seconds":5}')
})

it('omits empty texts', () => {
  expect([...tidied(newBlueprint()).keys()]).toEqual(['name', 'type', 'executor', 'output_schema'])
})

it('finds unknown fields', () => {
  const agent = map({ name: 'a', nmae: 'b', executor: { type: 'llm', modle: 'x', model: 'y' }, limits: { steps: 1 } })
  expect(unknownFields(agent)).toEqual([['nmae'], ['executor', 'modle'], ['limits', 'steps']])
  expect(unknownFields(newBlueprint())).toEqual([])
})

describe('fallback models', () => {
  it('round-trip through lines', () => {
    for (const item of ['large', '{"provider": "op', map({ provider: 'openai', model: 'm', temperature: 0.5 })]) {
      expect(itemOf(lineOf(item))).toEqual(item)
    }
  })
})
