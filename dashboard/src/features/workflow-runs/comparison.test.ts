import { expect, it } from 'vitest'
import type { Api } from '@/api'
import { groupsOf, locationOf } from './comparison'
import { readRun } from './model'

const side = (agent: string, value: unknown, text: string | null, key?: Record<string, unknown>) =>
  ({ agent, pointer: '/findings/0', value, text, key }) as Api.Side

const KEY = { file: 'a.rs', line: 7 }

it('shows all sides of an entry and marks the differences', () => {
  const node = {
    id: 'writer',
    contradictions: [
      {
        kind: 'different_values', key: KEY, field: 'severity',
        sides: [side('one', 'Blocker', 'A file that is missing panics'), side('two', 'nit', 'A file that is empty panics')],
      },
      { kind: 'flagged_and_cleared', key: KEY, field: 'severity', sides: [side('one', 'major', null), side('two', 'cleared', 'x')] },
    ],
    near_duplicates: [
      { key: { file: 'a.rs' }, similarity: 0.647, sides: [side('one', null, 'x', KEY), side('two', { odd: 1 }, 'x', { file: 'a.rs' })] },
    ],
    agreements: [{ key: KEY, field: 'severity', value: 'nit', sides: [side('one', 'nit', 'x')] }],
  }
  const empty = { id: 'output', contradictions: [], near_duplicates: [], agreements: [] }
  const [group, ...others] = groupsOf(readRun(JSON.stringify({ nodes: [node, empty] })))
  expect(others).toEqual([])
  expect(group?.node).toBe('writer')
  expect(group?.entries.map(({ kind, location, label }) => [kind, location, label])).toEqual([
    ['contradiction', 'a.rs:7', 'Different severity'],
    ['contradiction', 'a.rs:7', 'Flagged by one agent, cleared by another'],
    ['near_duplicate', 'a.rs', '65 % similar'],
    ['agreement', 'a.rs:7', 'Same severity'],
  ])
  expect(group?.entries[0]?.sides.map(({ value, tone, text }) => [value, tone, text?.find((part) => part.own)?.text])).toEqual([
    ['Blocker', 'danger', ' missing'],
    ['nit', 'neutral', ' empty'],
  ])
  expect(group?.entries[1]?.sides.map(({ tone, text }) => [tone, text === null])).toEqual([['warning', true], ['success', false]])
  expect(group?.entries[2]?.sides.map(({ value, location }) => [value, location])).toEqual([[null, 'a.rs:7'], ['{"odd":1}', null]])
})

it('formats locations as file:line', () => {
  const location = (key: Record<string, unknown>) => locationOf(key, (name) => JSON.stringify(key[name]))
  expect([
    location({ file: 'a.rs', line: 7 }),
    location({ file: 'a.rs', line: 7, rule: 'x' }),
    location({ id: 3, name: 'y' }),
    location({ line: 4 }),
  ]).toEqual(['a.rs:7', 'a.rs:7, rule x', 'id 3, name y', 'line 4'])
})

it('distinguishes numbers that a double cannot represent', () => {
  const sides = '[{"agent":"a","pointer":"/0","value":9007199254740993},{"agent":"b","pointer":"/0","value":9007199254740992}]'
  const entry = `{"kind":"different_values","key":{"id":12345678901234567890},"field":"amount","sides":${sides}}`
  const run = `{"nodes":[{"id":"sum","contradictions":[${entry}],"near_duplicates":[],"agreements":[]}]}`
  const found = groupsOf(readRun(run))[0]?.entries[0]
  expect([found?.location, ...(found?.sides.map(({ value }) => value) ?? [])]).toEqual([
    'id 12345678901234567890',
    '9007199254740993',
    '9007199254740992',
  ])
})
