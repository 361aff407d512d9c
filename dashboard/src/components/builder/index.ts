/** The field builder: a schema as fields, without loss. It knows of no feature. */
export { FieldBuilder } from './builder'
export { countFields, readSchema } from './model'
