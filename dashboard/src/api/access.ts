/**
 * The key that opens the API. It is kept in memory only: a reload asks for it again, and nothing that reads the
 * browser's storage can find it.
 */
import { observable } from '@/lib/observable'
import type { Role } from './schema'

export interface Access {
  key: string | null
  /** What the key allows; null where no key is needed, or that is not known. */
  role: Role | null
  /** Why a key is asked for, in the server's words; null while none is needed. */
  asked: string | null
  /** Whether somebody signed out: what they had before them is gone. Where a key ends by itself, it stays. */
  left: boolean
}

export const access = observable<Access>({ key: null, role: null, asked: null, left: false })

/** What can be sent as a key: the printable characters of ASCII. Browsers refuse to put others in a header. */
export function isKey(text: string): boolean {
  return /^[!-~]+$/.test(text)
}

export function presentKey(key: string, role: Role | null): void {
  access.set({ key, role, asked: null, left: false })
}

export function forgetKey(): void {
  access.set({ key: null, role: null, asked: 'signed out', left: true })
}

/** Asks for another key, without leaving the page. */
export function otherKey(): void {
  access.set({ ...access.get(), key: null, asked: 'another key is needed' })
}

/**
 * Called with what the server says to a request without a good key, and the key that it was sent with: an answer to an
 * older request says nothing about the key that was given since.
 */
export function askForKey(reason: string, sentWith: string | null): void {
  const { key, role, asked } = access.get()
  if (asked !== null || key !== sentWith) return
  // The role stays until another key is there: the page below is to look as it was left.
  access.set({ key: null, role, asked: reason, left: false })
}
