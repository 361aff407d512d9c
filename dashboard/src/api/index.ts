/** What features use of the server: calls, keys, types. */
export { api, body, text, textWithoutKey } from './client'
export { ApiError, isGone, messageOf } from './error'
export { queryKeys } from './keys'
export { connection } from './live'
export type * as Api from './schema'
