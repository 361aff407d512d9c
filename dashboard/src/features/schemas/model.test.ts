import { expect, it } from 'vitest'
import { readRegistered, shapeOf } from './model'

it('summarizes a schema', () => {
  expect(shapeOf({ type: 'array' })).toBe('array')
  expect(shapeOf({ properties: { a: {}, b: {} } })).toBe('a, b')
  expect(shapeOf({ properties: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 } })).toBe('a, b, c, d, e, … 6 fields')
})

it('keeps the order of members and the digits of numbers', () => {
  const written = '{"properties":{"z":{"maximum":12345678901234567890,"multipleOf":0.10},"1":{"const":-0}}}'
  const { view, text } = readRegistered(`{"name":"numbers","hash":"h","schema":${written}}`)
  expect([view.name, text.replace(/\s/g, '')]).toEqual(['numbers', written])
})
