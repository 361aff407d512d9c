import { expect, it } from 'vitest'
import document from '../../openapi.json'
import { RUN_STATUSES, SESSION_STATUSES, appearanceOf, isUnfinished } from './status'

it('has a label for every status in the API', () => {
  const { RunStatus, SessionStatus, Outcome } = document.components.schemas
  for (const status of [...RunStatus.enum, ...SessionStatus.enum, ...Outcome.enum]) {
    // A status that is not in the map falls back to its name.
    expect(appearanceOf(status).label, status).not.toBe(status.replaceAll('_', ' '))
  }
})

it('lists every status for the filters', () => {
  const { RunStatus, SessionStatus } = document.components.schemas
  expect([...RUN_STATUSES].sort()).toEqual([...RunStatus.enum].sort())
  expect([...SESSION_STATUSES].sort()).toEqual([...SessionStatus.enum].sort())
})

it('treats waiting runs as unfinished', () => {
  expect(RUN_STATUSES.filter((status) => !isUnfinished(status))).toEqual(['completed', 'failed', 'stopped'])
})
