import { expect, it } from 'vitest'
import { findingsOf, lintOf, pathParts, syntaxFinding } from './findings'

it('reads paths as people write them', () => {
  expect(pathParts('$')).toEqual([])
  expect(pathParts('$.properties.a[0].b')).toEqual(['properties', 'a', '0', 'b'])
  expect(pathParts(`$["a b"]['c']`)).toEqual(['a b', 'c'])
})

it('puts problems and lint at their places', () => {
  const text = '{"type": "object", "properties": {"b": {"type": "strin"}}}'
  const lint = lintOf([{ rule: 'r', severity: 'info', pointer: '/properties/b', path: '$.properties.b', message: 'm' }, {}])
  const problems = [{ severity: 'error' as const, path: '$.properties.b.type', message: 'no type' }]
  const shown = findingsOf(text, problems, lint).map(({ from, to, severity, message }) => [
    text.slice(from, to), severity, message,
  ])
  expect(shown).toEqual([
    ['"strin"', 'error', 'no type'],
    ['{', 'info', 'm'],
  ])
})

it('takes only what is under a part of a larger document', () => {
  const problems = [
    { severity: 'error' as const, path: '$.output_schema.type', message: 'here' },
    { severity: 'error' as const, path: '$.name', message: 'elsewhere' },
  ]
  expect(findingsOf('{"type": "x"}', problems, [], '$.output_schema')).toEqual([
    { from: 9, to: 12, severity: 'error', message: 'here' },
  ])
})

it('says where a text is not JSON', () => {
  expect(syntaxFinding('{"a": 1}')).toBeNull()
  expect(syntaxFinding('{"a": x}')).toMatchObject({ severity: 'error' })
})
