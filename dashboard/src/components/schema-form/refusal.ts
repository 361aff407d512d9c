import { ApiError } from '@/api'
import type { FormError } from './model'

/** Errors that list validation errors with paths. */
const LOCATED = ['ParameterValidationFailed', 'ContractViolation']

/** The validation errors in an API error; empty for other errors. */
export function fieldErrors(error: unknown): FormError[] {
  if (!(error instanceof ApiError) || !LOCATED.includes(error.error)) return []
  const details = error.details as { errors?: FormError[] } | null | undefined
  return details?.errors ?? []
}
