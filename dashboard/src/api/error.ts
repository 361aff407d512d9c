import type { ErrorBody } from './schema'

/** An error response with the server's message, or no response at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError'

  constructor(
    /** The stable error name, as in the documentation. */
    readonly error: string,
    message: string,
    /** The HTTP status; 0 if there was no response. */
    readonly status: number,
    readonly details: unknown = undefined,
  ) {
    super(message)
  }

  static from(body: unknown, status: number): ApiError {
    if (isErrorBody(body)) return new ApiError(body.error, body.message, status, body.details)
    return new ApiError('UnexpectedAnswer', `the server answered ${status} without an explanation`, status)
  }

  static unreachable(): ApiError {
    return new ApiError('Unreachable', 'cannot reach the server; is `accord up` running?', 0)
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body
}

/** Whether the requested object does not exist. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
