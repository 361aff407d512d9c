/** Schemas, edited and reported on; for every feature that has one. */
export { inferSchema, registeredQuery, schemaReportQuery } from './api'
export { ContractOptions } from './contract-options'
export { SchemaEditor, type SchemaEditorProps, type SchemaView } from './schema-editor'
