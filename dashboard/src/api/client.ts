/** The one way to the server: typed by its own OpenAPI document, with the key, and with errors that say why. */
import createClient, { type Middleware } from 'openapi-fetch'
import { access, askForKey } from './access'
import { ApiError } from './error'
import type { paths } from './schema'

export function authorization(): Record<string, string> {
  const { key } = access.get()
  return key === null ? {} : { authorization: `Bearer ${key}` }
}

const withKey: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(authorization())) request.headers.set(name, value)
    return request
  },
  onError() {
    return ApiError.unreachable()
  },
}

export const api = createClient<paths>({
  baseUrl: globalThis.location?.origin ?? '',
  // Looked up at each call, so that tests can put another one in its place.
  fetch: (request) => globalThis.fetch(request),
})
api.use(withKey)

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** The body of a good answer; everything else is thrown as an [`ApiError`]. */
export async function body<T>(call: Promise<Answer<T>>): Promise<T> {
  const sentWith = access.get().key
  const { data, error, response } = await call
  if (response.ok) return data as T
  const refusal = ApiError.from(error, response.status)
  if (refusal.status === 401) askForKey(refusal.message, sentWith)
  throw refusal
}

interface PageOf<T> {
  items: T[]
  next_cursor?: string | null
}

/** Everything of a list, page by page; for lists that are looked at as a whole. */
export async function everyItem<T>(fetchPage: (cursor: string | undefined) => Promise<PageOf<T>>): Promise<T[]> {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page = await fetchPage(cursor)
    items.push(...page.items)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return items
}

/**
 * The text of a good answer, for where numbers must stay as they were written: reading JSON into JavaScript rounds
 * what a double cannot hold.
 */
export async function text(path: string): Promise<string> {
  const sentWith = access.get().key
  try {
    return await answered(path, { headers: authorization() })
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) askForKey(error.message, sentWith)
    throw error
  }
}

/** The same without a key, for those who have none. With a body it is a `POST`. */
export function textWithoutKey(path: string, sent?: string): Promise<string> {
  return answered(path, sent === undefined ? {} : { method: 'POST', body: sent, headers: { 'content-type': 'application/json' } })
}

async function answered(path: string, init: RequestInit): Promise<string> {
  let response: Response
  try {
    response = await globalThis.fetch(path, init)
  } catch {
    throw ApiError.unreachable()
  }
  if (response.ok) return response.text()
  throw ApiError.from(await response.json().catch(() => undefined), response.status)
}
