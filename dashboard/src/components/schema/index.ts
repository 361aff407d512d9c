/** The schema editor and the schema report. */
export { inferSchema, registeredQuery, schemaReportQuery } from './api'
export { ContractOptions } from './contract-options'
export { SchemaEditor, type SchemaEditorProps, type SchemaView } from './schema-editor'
