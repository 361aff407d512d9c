import { expect, it } from 'vitest'
import { isExtracted } from './run-facts'

it('reports values that were extracted from surrounding text', () => {
  expect((['structured', 'text', 'fence', 'prose', undefined] as const).map(isExtracted)).toEqual([false, false, true, true, false])
})
