/** What a key allows. No address tells a key its role, but what only admins may read tells all others which one they have. */
import { useObservable } from '@/lib/observable'
import { ROLES, access } from './access'
import { ApiError } from './error'
import type { Role } from './schema'

/** The role of a key; null where it is good and its role is not told. What is no key is thrown, in the server's words. */
export async function roleOf(key: string): Promise<Role | null> {
  let response: Response
  try {
    response = await globalThis.fetch('/keys', { headers: { authorization: `Bearer ${key}` } })
  } catch {
    throw ApiError.unreachable()
  }
  if (response.ok) return 'admin'
  const refusal = ApiError.from(await response.json().catch(() => undefined), response.status)
  if (refusal.status !== 403) throw refusal
  const said = /^a key with the role '(\w+)'/.exec(refusal.message)?.[1]
  return ROLES.find((role) => role === said) ?? null
}

export interface Rights {
  role: Role | null
  /** Whether agents, workflows and schemas can be changed. */
  administers: boolean
  /** Whether runs can be started and stopped. */
  calls: boolean
}

/** What can be done here. Where the role is not known, everything is offered, and the server says no. */
export function useRights(): Rights {
  const { role } = useObservable(access)
  const administers = role === null || role === 'admin'
  return { role, administers, calls: administers || role === 'caller' }
}
