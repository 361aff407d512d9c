/**
 * The API key. It is kept for this tab: a reload does not ask for it again, another tab or a new window does, and it is
 * gone when the tab is closed.
 */
import { observable } from '@/lib/observable'
import type { Role } from './schema'

export const ROLES: readonly Role[] = ['admin', 'caller', 'viewer', 'runner']

export interface Access {
  key: string | null
  /** What the key allows; null where no key is needed, or that is not known. */
  role: Role | null
  /** Why a key is asked for, in the server's words; null while none is needed. */
  asked: string | null
  /** Whether somebody signed out: what they had before them is gone. Where a key ends by itself, it stays. */
  left: boolean
}

const STORED_AS = 'accord-key'

export const access = observable<Access>(stored())
access.subscribe(() => store(access.get()))

function stored(): Access {
  const none = { key: null, role: null, asked: null, left: false }
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORED_AS) ?? 'null') as { key?: unknown; role?: unknown } | null
    if (typeof kept?.key !== 'string') return none
    return { ...none, key: kept.key, role: ROLES.find((role) => role === kept.role) ?? null }
  } catch {
    // Storage may be forbidden: the key then lasts until a reload.
    return none
  }
}

function store({ key, role }: Access): void {
  try {
    if (key === null) sessionStorage.removeItem(STORED_AS)
    else sessionStorage.setItem(STORED_AS, JSON.stringify({ key, role }))
  } catch {
    // As above.
  }
}

/** What can be sent as a key: the printable characters of ASCII. Browsers refuse to put others in a header. */
export function isKey(text: string): boolean {
  return /^[!-~]+$/.test(text)
}

export function presentKey(key: string, role: Role | null): void {
  access.set({ key, role, asked: null, left: false })
}

export function forgetKey(): void {
  access.set({ key: null, role: null, asked: 'You are signed out.', left: true })
}

/** Asks for another key, without leaving the page. */
export function otherKey(): void {
  access.set({ ...access.get(), key: null, asked: 'Enter another API key.' })
}

/** Shown before any key was entered: whatever the server says about a missing key is meant for programs. */
const FIRST = 'This server requires an API key.'

/**
 * Called with the server's answer to a request without a valid key, and the key that it was sent with: an answer to an
 * older request says nothing about the key that was entered since.
 */
export function askForKey(reason: string, sentWith: string | null): void {
  const { key, role, asked } = access.get()
  if (asked !== null || key !== sentWith) return
  // The role stays until another key is there: the page below is to look as it was left.
  access.set({ key: null, role, asked: sentWith === null ? FIRST : reason, left: false })
}
