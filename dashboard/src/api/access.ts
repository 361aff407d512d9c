/**
 * The API key. It is saved in the session storage: it survives a reload, is not shared with other tabs, and is deleted when
 * the tab is closed.
 */
import { observable } from '@/lib/observable'
import type { Role } from './schema'

export const ROLES: readonly Role[] = ['admin', 'caller', 'viewer', 'runner']

export interface Access {
  key: string | null
  /** The role of the key; null if no key is needed or the role is unknown. */
  role: Role | null
  /** Why the login dialog asks for a key; null if it is closed. */
  loginReason: string | null
  /** Whether the user signed out, which removes the page. If a key expires or is revoked, the page stays below the login dialog. */
  signedOut: boolean
}

const STORAGE_KEY = 'accord-key'

export const access = observable<Access>(readStored())
access.subscribe(() => writeStored(access.get()))

function readStored(): Access {
  const none = { key: null, role: null, loginReason: null, signedOut: false }
  try {
    const saved = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null') as { key?: unknown; role?: unknown } | null
    if (typeof saved?.key !== 'string') return none
    return { ...none, key: saved.key, role: ROLES.find((role) => role === saved.role) ?? null }
  } catch {
    // Storage may be blocked: the key then lasts until a reload.
    return none
  }
}

function writeStored({ key, role }: Access): void {
  try {
    if (key === null) sessionStorage.removeItem(STORAGE_KEY)
    else sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ key, role }))
  } catch {
    // Storage may be blocked: the key then lasts until a reload.
  }
}

/** Whether a text can be a key: printable ASCII. Browsers do not allow other characters in a header. */
export function isKey(text: string): boolean {
  return /^[!-~]+$/.test(text)
}

export function presentKey(key: string, role: Role | null): void {
  access.set({ key, role, loginReason: null, signedOut: false })
}

export function forgetKey(): void {
  access.set({ key: null, role: null, loginReason: 'You are signed out.', signedOut: true })
}

/** Opens the login dialog over the page to enter another key. */
export function askForAnotherKey(): void {
  access.set({ ...access.get(), key: null, loginReason: 'Enter another API key.' })
}

/** Shown before any key was entered, because the server's own message is written for API clients. */
const KEY_REQUIRED = 'This server requires an API key.'

/**
 * Called when the server rejects a key. `sentWith` is the key of the rejected request: if the user has entered another key
 * since then, the rejection is outdated and ignored.
 */
export function askForKey(reason: string, sentWith: string | null): void {
  const { key, role, loginReason } = access.get()
  if (loginReason !== null || key !== sentWith) return
  // The role stays until another key is entered, so that the page below the dialog does not change.
  access.set({ key: null, role, loginReason: sentWith === null ? KEY_REQUIRED : reason, signedOut: false })
}
