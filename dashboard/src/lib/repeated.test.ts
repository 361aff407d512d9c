import { expect, it } from 'vitest'
import { repeated } from './repeated'

it('shows why a request is retried and how many retries are left', () => {
  const event = { reason: 'status 503', milliseconds: 4_000, attempts: 2, attempts_left: 1, milliseconds_left: 80_000 }
  expect(repeated(event)).toBe('status 503 (in 4.0 s, attempt 2 failed, 1 attempt left, gives up after 1 min 20 s more)')
  expect(repeated({ reason: 'status 429', milliseconds: 0 })).toBe('status 429')
})
