import { afterEach, expect, it, vi } from 'vitest'
import { access, askForKey, forgetKey, presentKey } from './access'

afterEach(() => vi.unstubAllGlobals())

it('does not take the answer to an older request for one about the key', () => {
  presentKey('second', 'admin')
  askForKey('the first is not known', 'first')
  expect(access.get()).toMatchObject({ key: 'second', asked: null })
  askForKey('the second is not known', 'second')
  // The page below still asks; the first reason is the one that counts.
  askForKey('a key is needed', null)
  expect(access.get()).toMatchObject({ key: null, asked: 'the second is not known', left: false })
  forgetKey()
  expect(access.get()).toMatchObject({ asked: 'You are signed out.', left: true })
})

it('does not speak of an old key before one was entered', () => {
  access.set({ key: null, role: null, asked: null, left: false })
  askForKey('this key is no longer valid', null)
  expect(access.get().asked).toBe('This server requires an API key.')
})

it('keeps the key for the tab, until it is signed out or refused', async () => {
  const kept = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  })
  presentKey('accord_x', 'viewer')
  vi.resetModules()
  const reloaded = await import('./access')
  expect(reloaded.access.get()).toEqual({ key: 'accord_x', role: 'viewer', asked: null, left: false })
  reloaded.askForKey('revoked', 'accord_x')
  expect([...kept.keys()]).toEqual([])
})
