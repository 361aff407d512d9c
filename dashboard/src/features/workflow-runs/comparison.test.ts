import { expect, it } from 'vitest'
import type { Api } from '@/api'
import { groupsOf, placeOf } from './comparison'

const side = (agent: string, value: unknown, text: string | null, key?: Record<string, unknown>) =>
  ({ agent, pointer: '/findings/0', value, text, key }) as Api.Side

const KEY = { file: 'a.rs', line: 7 }

it('puts what each side says beside the others, what differs marked', () => {
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
  const [group, ...others] = groupsOf({ nodes: [node, empty] } as unknown as Api.WorkflowRunView)
  expect(others).toEqual([])
  expect(group?.node).toBe('writer')
  expect(group?.entries.map(({ kind, place, label }) => [kind, place, label])).toEqual([
    ['contradiction', 'a.rs:7', 'Different severity'],
    ['contradiction', 'a.rs:7', 'Flagged by one, cleared by another'],
    ['near_duplicate', 'a.rs', '65 % alike'],
    ['agreement', 'a.rs:7', 'Same severity'],
  ])
  expect(group?.entries[0]?.sides.map(({ value, tone, text }) => [value, tone, text?.find((part) => part.own)?.text])).toEqual([
    ['Blocker', 'danger', ' missing'],
    ['nit', 'neutral', ' empty'],
  ])
  expect(group?.entries[1]?.sides.map(({ tone, text }) => [tone, text === null])).toEqual([['warning', true], ['success', false]])
  expect(group?.entries[2]?.sides.map(({ value, place }) => [value, place])).toEqual([[null, 'a.rs:7'], ['{"odd":1}', null]])
})

it('writes places as people do', () => {
  expect([
    placeOf({ file: 'a.rs', line: 7 }),
    placeOf({ file: 'a.rs', line: 7, rule: 'x' }),
    placeOf({ id: 3, name: 'y' }),
    placeOf({ line: 4 }),
  ]).toEqual(['a.rs:7', 'a.rs:7, rule x', 'id 3, name y', 'line 4'])
})
