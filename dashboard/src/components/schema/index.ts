/** Schemas, edited and reported on; for every feature that has one. */
export { registeredQuery } from './api'
export { ContractOptions } from './contract-options'
export { SchemaEditor, type SchemaView } from './schema-editor'
