/** Forms made from schemas. */
export { SchemaForm } from './schema-form'
export { type FormError, controlOf, initialValue } from './model'
export { fieldErrors } from './refusal'
