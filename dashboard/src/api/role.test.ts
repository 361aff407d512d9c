import { afterEach, expect, it, vi } from 'vitest'
import { roleOf } from './role'

afterEach(() => vi.unstubAllGlobals())

const answering = (status: number, message: string) =>
  vi.stubGlobal('fetch', async () => Response.json({ error: 'Forbidden', message }, { status }))

it('tells the role of a key by what it is refused', async () => {
  answering(200, '')
  expect(await roleOf('k')).toBe('admin')
  answering(403, "a key with the role 'caller' does not allow this; use one of an admin")
  expect(await roleOf('k')).toBe('caller')
  answering(403, 'no')
  expect(await roleOf('k')).toBeNull()
  answering(401, 'this key is not known')
  await expect(roleOf('k')).rejects.toThrow('this key is not known')
})
