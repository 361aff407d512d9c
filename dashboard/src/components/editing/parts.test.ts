import { describe, expect, it } from 'vitest'
import { type JsonMap, fromPlain, write } from '@/lib/lossless'
import { changedParts, merged } from './parts'

const map = (value: object) => fromPlain(value) as JsonMap

describe('two changes', () => {
  const base = map({ name: 'a', description: 'd', tags: ['x'] })
  const mine = map({ name: 'a', description: 'mine', tags: ['x'] })

  it('are merged if they touch different parts', () => {
    const theirs = map({ name: 'a', description: 'd', tags: ['y'], limits: { max_steps: 1 } })
    const both = merged(base, mine, theirs)
    expect(both && write(both)).toBe('{"name":"a","description":"mine","tags":["y"],"limits":{"max_steps":1}}')
    expect(changedParts(base, theirs)).toEqual(['tags', 'limits'])
  })

  it('are not merged if they touch the same part', () => {
    expect(merged(base, mine, map({ name: 'a', description: 'theirs', tags: ['x'] }))).toBeNull()
  })
})
