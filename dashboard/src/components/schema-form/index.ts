/** Forms generated from JSON Schemas. */
export { SchemaForm } from './schema-form'
export { controlOf } from './controls'
export { type FormError, initialValue, showsAll } from './model'
export { fieldErrors } from './refusal'
