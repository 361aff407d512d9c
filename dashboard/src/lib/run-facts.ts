import type { Api } from '@/api'

/** Whether an accepted value was extracted from surrounding text. */
export function isExtracted(source: Api.ValueSource | null | undefined): boolean {
  return source === 'fence' || source === 'prose'
}

/** Whether a person entered the result. */
export function isByPerson(source: Api.ValueSource | null | undefined): boolean {
  return source === 'human'
}

export const BY_PERSON = 'Entered by a person'
