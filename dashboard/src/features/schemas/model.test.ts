import { expect, it } from 'vitest'
import { EXAMPLE, readSchema, shapeOf } from './model'

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
