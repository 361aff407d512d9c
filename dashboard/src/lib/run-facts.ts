/** What is said of a run. Pure. */
import type { Api } from '@/api'

/** Whether an accepted value was taken out of other text, which is worth a word. */
export function isExtracted(source: Api.ValueSource | null | undefined): boolean {
  return source === 'fence' || source === 'prose'
}

/** Whether a person entered the result, and no model. */
export function isByPerson(source: Api.ValueSource | null | undefined): boolean {
  return source === 'human'
}

export const BY_PERSON = 'Entered by a person'
