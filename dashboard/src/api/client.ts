/** The API client: typed by the OpenAPI document, sends the key, and throws `ApiError`. */
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
  // Looked up at each call, so that tests can replace it.
  fetch: (request) => globalThis.fetch(request),
})
api.use(withKey)

interface ApiResponse<T> {
  data?: T
  error?: unknown
  response: Response
}

/** The body of a successful response. Throws an `ApiError` otherwise. */
export async function body<T>(call: Promise<ApiResponse<T>>): Promise<T> {
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

/** Fetches all pages of a list. */
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
 * The text of a successful response, for callers that must keep the digits of numbers: JSON.parse rounds what a double
 * cannot represent.
 */
export async function text(path: string): Promise<string> {
  const sentWith = access.get().key
  try {
    return await fetchText(path, { headers: authorization() })
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) askForKey(error.message, sentWith)
    throw error
  }
}

/** Like `text`, but with the token of a one-time link instead of a key. Sends a `POST` if there is a body. */
export function textByLink(path: string, token: string, sent?: string): Promise<string> {
  const headers = { 'accord-input-link': token }
  return fetchText(path, sent === undefined ? { headers } : { method: 'POST', body: sent, headers: { ...headers, 'content-type': 'application/json' } })
}

async function fetchText(path: string, init: RequestInit): Promise<string> {
  let response: Response
  try {
    response = await globalThis.fetch(path, init)
  } catch {
    throw ApiError.unreachable()
  }
  if (response.ok) return response.text()
  throw ApiError.from(await response.json().catch(() => undefined), response.status)
}
