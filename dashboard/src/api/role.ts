/** What a key allows. */
import { useObservable } from '@/lib/observable'
import { access } from './access'
import { ApiError } from './error'
import type { MeView, Role } from './schema'

/** The role of a key. What is no key is thrown, in the server's words. */
export async function roleOf(key: string): Promise<Role> {
  let response: Response
  try {
    response = await globalThis.fetch('/me', { headers: { authorization: `Bearer ${key}` } })
  } catch {
    throw ApiError.unreachable()
  }
  const answer: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw ApiError.from(answer, response.status)
  return (answer as MeView).role
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
