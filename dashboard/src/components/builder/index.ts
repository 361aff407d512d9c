/** The field builder: a schema as fields, without loss. It knows of no feature. */
export { FieldBuilder, type BuilderProps } from './builder'
export { countFields, readSchema } from './model'
