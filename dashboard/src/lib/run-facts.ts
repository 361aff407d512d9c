/** What a list says of a run. Pure. */
import type { Api } from '@/api'

/** Longer than any column is wide. */
const LONGEST = 200

/** The values of an input in one line; with their names if there are several. */
export function previewOf(parameters: unknown): string {
  if (typeof parameters !== 'object' || parameters === null) return ''
  const entries = Object.entries(parameters)
  const words = entries.map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    return entries.length === 1 ? text : `${name}: ${text.slice(0, LONGEST)}`
  })
  const line = words.join(' · ').slice(0, 4 * LONGEST).replaceAll(/\s+/g, ' ').trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}

/** How many answers a run has had judged; null before it starts. */
export function attemptsOf(run: Pick<Api.RunView, 'result' | 'error' | 'retry_count' | 'started_at'>): number | null {
  const counted = run.result?.schema_validation?.attempts ?? run.error?.attempts
  return counted ?? (run.started_at ? run.retry_count + 1 : null)
}

/** Whether an accepted value was taken out of other text, which is worth a word. */
export function isExtracted(source: Api.ValueSource | null | undefined): boolean {
  return source === 'fence' || source === 'prose'
}
