import { describe, expect, it } from 'vitest'
import { locate, pointerParts, pretty, readJson } from './json-text'

const at = (text: string, pointer: string) => {
  const span = locate(text, pointer)
  return span === null ? null : text.slice(span.start, span.end)
}

describe('locate', () => {
  it('finds a value by its pointer', () => {
    const text = '{"a": {"b": [1, {"c": "x"}]}, "d/e": true}'
    expect(at(text, '/a/b/1/c')).toBe('"x"')
    expect(at(text, '/a/b/0')).toBe('1')
    expect(at(text, '/d~1e')).toBe('true')
    expect(at(text, '')).toBe(text)
  })

  it('finds a value in a fenced block with prose around it', () => {
    const text = 'Sure [here]:\n```json\n{"severity": "critical"}\n```\nDone {x}.'
    expect(at(text, '/severity')).toBe('"critical"')
  })

  it('finds the nearest parent of a missing value', () => {
    expect(at('{"a": {"b": 1}}', '/a/missing')).toBe('{"b": 1}')
  })

  it('reads truncated and invalid JSON as far as possible', () => {
    expect(at('{"a": 1, "b": [{"c": "cut of', '/b/0/c')).toBe('"cut of')
    expect(at('{"a": 1, b: 2}', '/a')).toBe('1')
    expect(at('no json at all', '/a')).toBeNull()
  })

  it('takes the last of two duplicate keys, as JSON.parse does', () => {
    expect(at('{"a": 1, "a": 2}', '/a')).toBe('2')
  })

  it('handles deeply nested text', () => {
    expect(locate('['.repeat(200_000), '/0/0')).not.toBeNull()
    expect(locate('{"a":'.repeat(100_000), '/a/a')).not.toBeNull()
  })
})

it('keeps numbers as they were written', () => {
  const text = '{"n": 12345678901234567890.10}'
  const { node, whole } = readJson(text)
  const value = node?.members[0]?.node
  expect([whole, value && text.slice(value.start, value.end)]).toEqual([true, '12345678901234567890.10'])
})

it('reads pointers', () => {
  expect(pointerParts('')).toEqual([])
  expect(pointerParts('/a~1b/~0/0')).toEqual(['a/b', '~', '0'])
})

it('indents a JSON value and leaves other text unchanged', () => {
  expect(pretty('{"a":[1.0,{}],"b":"x"}')).toBe('{\n  "a": [\n    1.0,\n    {}\n  ],\n  "b": "x"\n}')
  expect(pretty('Here: {"a":1}')).toBe('Here: {"a":1}')
  expect(pretty('{"a":1} and')).toBe('{"a":1} and')
})
