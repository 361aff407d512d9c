import { expect, it } from 'vitest'
import { fromPlain, write } from '@/lib/lossless'
import { samplesOf } from './samples'

const written = (schema: unknown) => samplesOf(fromPlain(schema)).map((sample) => write(sample))

it('uses the examples of a schema', () => {
  expect(written({ type: 'object', examples: [{ a: 1 }, { a: 2 }] })).toEqual(['{"a":1}', '{"a":2}'])
})

it('combines the examples of properties into one sample', () => {
  const schema = {
    required: ['a'],
    properties: { a: { type: 'string', examples: ['x', 'y'] }, b: { type: 'integer', default: 3 }, c: { type: 'string' } },
  }
  expect(written(schema)).toEqual(['{"a":"x","b":3}'])
})

it('creates no sample without a required property or with defaults only', () => {
  expect(written({ required: ['a', 'b'], properties: { a: { examples: ['x'] }, b: { type: 'string' } } })).toEqual([])
  expect(written({ properties: { a: { default: 'x' } } })).toEqual([])
  expect(written(true)).toEqual([])
})
