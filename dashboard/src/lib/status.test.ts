import { expect, it } from 'vitest'
import document from '../../openapi.json'
import { appearanceOf } from './status'

it('knows every status that the server can give', () => {
  const { RunStatus, SessionStatus, Outcome } = document.components.schemas
  for (const status of [...RunStatus.enum, ...SessionStatus.enum, ...Outcome.enum]) {
    // One that is not in the map is shown by its name.
    expect(appearanceOf(status).label, status).not.toBe(status.replaceAll('_', ' '))
  }
})
