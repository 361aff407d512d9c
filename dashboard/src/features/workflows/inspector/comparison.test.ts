import { expect, it } from 'vitest'
import { fromPlain } from '@/lib/lossless'
import { listsOf } from './comparison'

it('finds lists of objects only', () => {
  const schema = {
    type: 'object',
    properties: {
      findings: { type: 'array', items: { type: 'object' } },
      names: { type: 'array', items: { type: 'string' } },
      summary: { type: 'string' },
    },
  }
  expect(listsOf(fromPlain(schema))).toEqual(['findings'])
  expect(listsOf(true)).toEqual([])
})
