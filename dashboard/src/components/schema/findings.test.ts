import { expect, it } from 'vitest'
import { readYaml } from '@/lib/yaml-text'
import type { SchemaReport } from './api'
import { readExamples } from './examples'
import { findingsIn, generalFindings, locateInJson, lossRows } from './findings'
import { readText } from './text'

const REPORT: SchemaReport = {
  valid: true,
  problems: [{ severity: 'error', path: '$.properties.a.type', message: 'no such type' }],
  lint: [
    { rule: 'r', severity: 'warning', pointer: '/properties', path: '$.properties', message: 'doubtful' },
    { rule: 'provider-does-not-enforce', severity: 'info', pointer: '/properties', path: '', message: 'one', provider: 'openai' },
    { rule: 'provider-does-not-enforce', severity: 'info', pointer: '/properties', path: '', message: 'two', provider: 'anthropic' },
  ],
  lowering: [
    { profile: 'openai', refusal: null, sent: null, losses: [] },
    {
      profile: 'anthropic', refusal: null, sent: null,
      losses: [
        { pointer: '/properties/b', keyword: 'minimum', enforced_by: 'prompt' },
        { pointer: '/properties/a', keyword: 'not', enforced_by: 'validator', detail: 'why' },
      ],
    },
  ],
}

it('locates findings and groups those at the same location', () => {
  const text = '{\n  "properties": {\n    "a": {"type": "strng"}\n  }\n}'
  const found = findingsIn(text, REPORT, locateInJson(text)).map((finding) => [
    finding.severity, text.slice(finding.from, finding.to), finding.message,
  ])
  expect(found).toEqual([
    ['warning', '{', 'doubtful'],
    ['info', '{', 'one\ntwo'],
    ['error', '"strng"', 'no such type'],
  ])
})

it('locates findings in YAML', () => {
  const text = 'properties:\n  a: { type: strng }\n'
  const [first] = findingsIn(text, { ...REPORT, lint: [] }, readYaml(text).locate)
  expect(text.slice(first?.from, first?.to)).toBe('strng')
})

it('separates general findings from keywords that providers do not enforce', () => {
  expect(generalFindings(REPORT).map((finding) => finding.message)).toEqual(['no such type', 'doubtful'])
  expect(lossRows(REPORT)).toEqual([
    { pointer: '/properties/a', keyword: 'not', by: new Map([['anthropic', { how: 'validator', detail: 'why' }]]) },
    { pointer: '/properties/b', keyword: 'minimum', by: new Map([['anthropic', { how: 'prompt', detail: undefined }]]) },
  ])
})

it('reports where a text is invalid', () => {
  expect(readText('a: [', 'yaml').mistake?.severity).toBe('error')
  expect(readText('{"a": }', 'json').mistake?.from).toBe(6)
  expect(readText('{}', 'json').mistake).toBeNull()
})

it('reads one example, or one per line', () => {
  expect(readExamples('{\n"a": 1\n}')).toHaveLength(1)
  expect(readExamples('{"a": 1}\n\n{"a": 2}')).toHaveLength(2)
  expect(() => readExamples('{"a": 1}\nnothing')).toThrow()
  expect(() => readExamples('')).toThrow()
})
