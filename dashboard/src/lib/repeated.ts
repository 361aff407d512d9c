import { duration, plural } from './format'

/** What an event says of a request that is made again; the numbers are absent where nobody knows them. */
interface Repeated {
  reason: string
  milliseconds: number
  attempts?: number | null
  attempts_left?: number | null
  milliseconds_left?: number | null
}

/** Why a request is made again, when, and how much patience is left. */
export function repeated(event: Repeated): string {
  const parts = [
    event.milliseconds > 0 ? `in ${duration(event.milliseconds)}` : null,
    event.attempts == null ? null : `attempt ${event.attempts} failed`,
    event.attempts_left == null ? null : `${plural(event.attempts_left, 'attempt')} left`,
    event.milliseconds_left == null ? null : `gives up after ${duration(event.milliseconds_left)} more`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? event.reason : `${event.reason} (${parts.join(', ')})`
}
