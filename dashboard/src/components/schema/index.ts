/** The schema editor and the schema report. */
export { registeredQuery } from './api'
export { ContractOptions } from './contract-options'
export { SchemaEditor, type SchemaView } from './schema-editor'
