import { expect, it } from 'vitest'
import document from '../../openapi.json'
import { RUN_STATUSES, SESSION_STATUSES, appearanceOf, isUnderWay } from './status'

it('knows every status that the server can give', () => {
  const { RunStatus, SessionStatus, Outcome } = document.components.schemas
  for (const status of [...RunStatus.enum, ...SessionStatus.enum, ...Outcome.enum]) {
    // One that is not in the map is shown by its name.
    expect(appearanceOf(status).label, status).not.toBe(status.replaceAll('_', ' '))
  }
})

it('lets people filter by every status', () => {
  const { RunStatus, SessionStatus } = document.components.schemas
  expect([...RUN_STATUSES].sort()).toEqual([...RunStatus.enum].sort())
  expect([...SESSION_STATUSES].sort()).toEqual([...SessionStatus.enum].sort())
})

it('knows that a run that waits is not over', () => {
  expect(RUN_STATUSES.filter((status) => !isUnderWay(status))).toEqual(['completed', 'failed', 'stopped'])
})
