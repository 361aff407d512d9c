/** The API for features: calls, query keys and types. */
export { api, body, text, textByLink } from './client'
export { ApiError, isGone, messageOf } from './error'
export { queryKeys } from './keys'
export { connection } from './live'
export type * as Api from './schema'
