import { ApiError } from '@/api'
import type { FormError } from './model'

/** The errors of a refusal that belong to fields; none where it is another refusal. */
export function fieldErrors(error: unknown): FormError[] {
  if (!(error instanceof ApiError) || error.error !== 'ParameterValidationFailed') return []
  const details = error.details as { errors?: FormError[] } | null | undefined
  return details?.errors ?? []
}
