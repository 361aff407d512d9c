/** The role of the API key and the actions that it allows. */
import { useObservable } from '@/lib/observable'
import { access } from './access'
import { ApiError } from './error'
import type { MeView, Role } from './schema'

/** Fetches the role of a key. Throws the server's error if the key is invalid. */
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

/** The actions that the key allows. If the role is unknown, everything is offered and the server rejects what is not allowed. */
export function useRights(): Rights {
  const { role } = useObservable(access)
  const administers = role === null || role === 'admin'
  return { role, administers, calls: administers || role === 'caller' }
}
