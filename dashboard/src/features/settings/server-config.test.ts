import { expect, it } from 'vitest'
import { extraction } from './server-config'

it('describes where JSON is extracted from', () => {
  expect(extraction({ extract_json: false, embedded: 'accept' })).toBe('JSON only')
  expect(extraction({ extract_json: [], embedded: 'confirm' })).toBe('JSON only')
  expect(extraction({ extract_json: true, embedded: 'accept' })).toBe('JSON is extracted from fences and prose')
  expect(extraction({ extract_json: ['fence'], embedded: 'confirm' })).toBe('JSON is extracted from fences')
  expect(extraction({ extract_json: true, embedded: 'confirm' })).toBe('JSON is extracted from fences and prose, confirmed if in prose')
})
