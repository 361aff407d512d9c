/**
 * The key that opens the API. It is kept in memory only: a reload asks for it again, and nothing that reads the
 * browser's storage can find it.
 */
import { observable } from '@/lib/observable'

export interface Access {
  key: string | null
  /** Why a key is asked for, in the server's words; null while none is needed. */
  asked: string | null
}

export const access = observable<Access>({ key: null, asked: null })

/** What can be sent as a key: the printable characters of ASCII. Browsers refuse to put others in a header. */
export function isKey(text: string): boolean {
  return /^[!-~]+$/.test(text)
}

export function presentKey(key: string): void {
  access.set({ key, asked: null })
}

export function forgetKey(): void {
  access.set({ key: null, asked: 'signed out' })
}

/** Called with what the server says to a request without a good key. */
export function askForKey(reason: string): void {
  access.set({ key: null, asked: reason })
}
