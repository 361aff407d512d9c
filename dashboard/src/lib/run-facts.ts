/** What is said of a run. Pure. */
import type { Api } from '@/api'

/** Whether an accepted value was taken out of other text, which is worth a word. */
export function isExtracted(source: Api.ValueSource | null | undefined): boolean {
  return source === 'fence' || source === 'prose'
}
