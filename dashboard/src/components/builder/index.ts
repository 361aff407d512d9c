/** The field builder: edits a JSON Schema as fields without losing anything. Independent of features. */
export { FieldBuilder } from './builder'
export { countFields, readSchema } from './model'
