import { expect, it } from 'vitest'
import { readEvents } from './events'

it('keeps the text of values that a model wrote', () => {
  const page =
    '{"items":[{"id":1,"type":"tool.started","arguments":{"z":9007199254740993,"1":-0}},' +
    '{"id":2,"type":"result","result_text":null,"result_data":{"a":1E400,"b":1.10}},' +
    '{"id":3,"type":"result","result_text":"x","result_data":null},{"id":4,"type":"run.started"}],"next_cursor":"4"}'
  const { items, next } = readEvents(page)
  expect(items.map(({ id, written }) => [id, written])).toEqual([
    [1, '{\n  "z": 9007199254740993,\n  "1": -0\n}'],
    [2, '{\n  "a": 1E400,\n  "b": 1.10\n}'],
    [3, null],
    [4, null],
  ])
  expect(next).toBe(true)
})

it('stops at the last page or at an empty one', () => {
  expect([readEvents('{"items":[]}').next, readEvents('{"items":[],"next_cursor":"4"}').next]).toEqual([false, false])
})
