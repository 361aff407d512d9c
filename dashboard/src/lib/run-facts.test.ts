import { expect, it } from 'vitest'
import { isExtracted } from './run-facts'

it('tells values that were taken out of other text from those that were not', () => {
  expect((['structured', 'text', 'fence', 'prose', undefined] as const).map(isExtracted)).toEqual([false, false, true, true, false])
})
