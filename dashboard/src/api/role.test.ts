import { afterEach, expect, it, vi } from 'vitest'
import { roleOf } from './role'

afterEach(() => vi.unstubAllGlobals())

const answering = (status: number, message: string, details?: object) =>
  vi.stubGlobal('fetch', async () => Response.json({ error: 'Forbidden', message, details }, { status }))

it('tells the role of a key by what it is refused', async () => {
  answering(200, '')
  expect(await roleOf('k')).toBe('admin')
  answering(403, 'no', { role: 'caller', allowed_roles: ['admin'] })
  expect(await roleOf('k')).toBe('caller')
  answering(403, 'no')
  expect(await roleOf('k')).toBeNull()
  answering(401, 'invalid API key')
  await expect(roleOf('k')).rejects.toThrow('invalid API key')
})
