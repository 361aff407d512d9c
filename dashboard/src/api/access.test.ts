import { afterEach, expect, it, vi } from 'vitest'
import { access, askForKey, forgetKey, presentKey } from './access'

afterEach(() => vi.unstubAllGlobals())

it('ignores 401 answers to requests that were sent with an older key', () => {
  presentKey('second', 'admin')
  askForKey('the first is not known', 'first')
  expect(access.get()).toMatchObject({ key: 'second', loginReason: null })
  askForKey('the second is not known', 'second')
  // The page behind the login still sends requests; the first reason stays.
  askForKey('a key is needed', null)
  expect(access.get()).toMatchObject({ key: null, loginReason: 'the second is not known', signedOut: false })
  forgetKey()
  expect(access.get()).toMatchObject({ loginReason: 'You are signed out.', signedOut: true })
})

it('does not mention an old key before one was entered', () => {
  access.set({ key: null, role: null, loginReason: null, signedOut: false })
  askForKey('this key is no longer valid', null)
  expect(access.get().loginReason).toBe('This server requires an API key.')
})

it('keeps the key for the tab until it is signed out or rejected', async () => {
  const stored = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  })
  presentKey('accord_x', 'viewer')
  vi.resetModules()
  const reloaded = await import('./access')
  expect(reloaded.access.get()).toEqual({ key: 'accord_x', role: 'viewer', loginReason: null, signedOut: false })
  reloaded.askForKey('revoked', 'accord_x')
  expect([...stored.keys()]).toEqual([])
})
