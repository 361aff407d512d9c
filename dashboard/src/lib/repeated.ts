import { duration, plural } from './format'

/** The fields of a `request.repeated` event. Numbers are absent if they are unknown. */
interface Repeated {
  reason: string
  milliseconds: number
  attempts?: number | null
  attempts_left?: number | null
  milliseconds_left?: number | null
}

/** Why and when a request is retried, and how much time and how many attempts are left. */
export function repeated(event: Repeated): string {
  const parts = [
    event.milliseconds > 0 ? `in ${duration(event.milliseconds)}` : null,
    event.attempts == null ? null : `attempt ${event.attempts} failed`,
    event.attempts_left == null ? null : `${plural(event.attempts_left, 'attempt')} left`,
    event.milliseconds_left == null ? null : `gives up after ${duration(event.milliseconds_left)} more`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? event.reason : `${event.reason} (${parts.join(', ')})`
}
