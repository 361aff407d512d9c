import { afterEach, expect, it, vi } from 'vitest'
import { roleOf } from './role'

afterEach(() => vi.unstubAllGlobals())

const answering = (status: number, body: object) => {
  const fetch = vi.fn(async () => Response.json(body, { status }))
  vi.stubGlobal('fetch', fetch)
  return fetch
}

it('fetches the role of a key', async () => {
  const fetch = answering(200, { role: 'caller', key_required: true, key_id: 'key_1', name: 'ci', expires_at: null })
  expect(await roleOf('k')).toBe('caller')
  expect(fetch).toHaveBeenCalledWith('/me', { headers: { authorization: 'Bearer k' } })
})

it('reports why a key is rejected', async () => {
  answering(401, { error: 'Unauthorized', message: 'invalid API key' })
  await expect(roleOf('k')).rejects.toThrow('invalid API key')
})
