/** The role of a key. No endpoint returns it, but a 403 for something that only admins may read carries it. */
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
  const { details } = refusal
  const own = typeof details === 'object' && details !== null && 'role' in details ? details.role : null
  return ROLES.find((role) => role === own) ?? null
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
