import { describe, expect, it } from 'vitest'
import { type JsonMap, fromPlain, write } from '@/lib/lossless'
import { contractKind, freshBlueprint, itemOf, lineOf, problemAt, tabOf, tidied, unknownFields, withContractKind, withExecutor } from './model'

const map = (value: object) => fromPlain(value) as JsonMap

describe('problems', () => {
  it('belong to the tab that mends them', () => {
    const paths = ['$', '$.executor.model', '$.executor.allowed_tools', '$.output_schema_options.strategy', '$.invariants[0].rule', '$.mcp_servers["a b"]']
    expect(paths.map((path) => tabOf({ path }))).toEqual(['general', 'general', 'tools', 'output', 'invariants', 'tools'])
  })

  it('are found by place', () => {
    const problem = { severity: 'error' as const, path: '$.invariants[1].rule', message: 'm' }
    expect(problemAt([problem], ['invariants', '1'])).toBe(problem)
    expect(problemAt([problem], ['invariants', '0'])).toBeUndefined()
  })
})

describe('a contract', () => {
  const agent = map({ name: 'a', output_schema: { type: 'object' }, output_schema_options: { max_retries: 3 }, tags: ['x'] })

  it('moves with its options and stays in its place', () => {
    const suggested = withContractKind(agent, 'default_output_schema')
    expect(write(suggested)).toBe(
      '{"name":"a","default_output_schema":{"type":"object"},"tags":["x"],"default_output_schema_options":{"max_retries":3}}',
    )
    expect(contractKind(suggested)).toBe('default_output_schema')
  })

  it('goes with its options, and comes back fresh', () => {
    const none = withContractKind(agent, 'none')
    expect(write(none)).toBe('{"name":"a","tags":["x"]}')
    expect(contractKind(withContractKind(none, 'output_schema'))).toBe('output_schema')
    expect(contractKind(map({ output_schema: null, default_output_schema: 'registered' }))).toBe('default_output_schema')
  })
})

it('keeps what two executors share', () => {
  const agent = map({ name: 'a', type: 'autonomous', executor: { type: 'llm', provider: 'openai', model: 'm', timeout_seconds: 5 } })
  expect(write(withExecutor(agent, 'codex'))).toBe(
    '{"name":"a","type":"autonomous","executor":{"type":"codex","timeout_seconds":5,"model":"m"}}',
  )
  expect(write(withExecutor(agent, 'process'))).toContain('"type":"procedural","executor":{"type":"process","command":"","timeout_seconds":5}')
})

it('leaves out texts that nobody wrote', () => {
  expect([...tidied(freshBlueprint()).keys()]).toEqual(['name', 'type', 'executor', 'output_schema'])
})

it('finds fields that no agent has', () => {
  const agent = map({ name: 'a', nmae: 'b', executor: { type: 'llm', modle: 'x', model: 'y' }, limits: { steps: 1 } })
  expect(unknownFields(agent)).toEqual([['nmae'], ['executor', 'modle'], ['limits', 'steps']])
  expect(unknownFields(freshBlueprint())).toEqual([])
})

describe('fallback models', () => {
  it('are lines and come back as they were', () => {
    for (const item of ['large', '{"provider": "op', map({ provider: 'openai', model: 'm', temperature: 0.5 })]) {
      expect(itemOf(lineOf(item))).toEqual(item)
    }
  })
})
