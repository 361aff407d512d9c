import { ApiError } from '@/api'
import type { FormError } from './model'

/** Refusals that say where a value does not conform. */
const LOCATED = ['ParameterValidationFailed', 'ContractViolation']

/** The errors of a refusal that belong to fields; none where it is another refusal. */
export function fieldErrors(error: unknown): FormError[] {
  if (!(error instanceof ApiError) || !LOCATED.includes(error.error)) return []
  const details = error.details as { errors?: FormError[] } | null | undefined
  return details?.errors ?? []
}
