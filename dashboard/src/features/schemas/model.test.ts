import { expect, it } from 'vitest'
import type { Api } from '@/api'
import { EXAMPLE, readSchema, shapeOf, usersOf } from './model'

const agent = (name: string, blueprint: Record<string, unknown>) =>
  ({ summary: { name }, blueprint }) as unknown as Api.AgentView

it('finds who refers to a schema', () => {
  const agents = [
    agent('by-name', { output_schema: 'task' }),
    agent('by-default', { default_output_schema: 'task' }),
    agent('inline', { output_schema: { title: 'task' } }),
  ]
  expect(usersOf('task', agents)).toEqual(['by-name', 'by-default'])
})

it('says what a schema is about', () => {
  expect(shapeOf({ type: 'array' })).toBe('array')
  expect(shapeOf({ properties: { a: {}, b: {} } })).toBe('a, b')
  expect(shapeOf({ properties: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 } })).toBe('a, b, c, d, e, … 6 fields')
})

it('reads a schema or says why not', () => {
  expect('schema' in readSchema(EXAMPLE)).toBe(true)
  expect(readSchema('[]')).toEqual({ wrong: 'a schema is a JSON object' })
  expect('wrong' in readSchema('{')).toBe(true)
})
