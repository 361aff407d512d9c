/**
 * Converts a schema to fields and back. Each part keeps the keywords that it was read from, and fields are written back to
 * their old positions, so an unedited schema is written unchanged and unknown keywords are kept.
 */
import { type Json, type JsonMap, isList, isMap } from '@/lib/lossless'

export const FIELD_TYPES = ['string', 'integer', 'number', 'boolean', 'enum', 'object', 'array'] as const
export type FieldType = (typeof FIELD_TYPES)[number]

/** `other`: a schema that the builder cannot show; it is kept unchanged. */
export type ShownType = FieldType | 'other'

export interface Part {
  /** The whole schema as it was read. When it is written, the next three properties override it. */
  readonly keywords: Json
  /** The properties of an object; null if this is not an object. */
  readonly fields: readonly Field[] | null
  /** The entries of `required` in their original order. A field that is no longer required keeps its position. */
  readonly required: readonly RequiredName[] | null
  /** The schema of all items of a list. */
  readonly items: Part | null
}

export interface Field {
  /** Stays the same while the field is renamed or moved. */
  readonly id: string
  readonly name: string
  readonly required: boolean
  readonly part: Part
}

/** A field, or a name that no field has. */
export type RequiredName = { readonly field: string } | { readonly name: string }

let lastId = 0

export function newId(): string {
  lastId += 1
  return `field-${lastId}`
}

export function readSchema(schema: Json): Part {
  if (!isMap(schema)) return { keywords: schema, fields: null, required: null, items: null }
  const type = typeOf(schema)
  const items = schema.get('items')
  const single = type === 'array' && items !== undefined && !isList(items)
  return {
    keywords: schema,
    ...(type === 'object' ? readMembers(schema) : { fields: null, required: null }),
    items: single ? readSchema(items) : null,
  }
}

function readMembers(schema: JsonMap): Pick<Part, 'fields' | 'required'> {
  const properties = schema.get('properties')
  if (properties !== undefined && !isMap(properties)) return { fields: null, required: null }
  const names = namesOf(schema.get('required'))
  const fields = [...(properties ?? [])].map(([name, part]) => ({
    id: newId(),
    name,
    required: names?.includes(name) ?? false,
    part: readSchema(part),
  }))
  if (names === null) return { fields, required: null }
  const ids = new Map(fields.map((field) => [field.name, field.id]))
  const required = names.map((name): RequiredName => {
    const field = ids.get(name)
    // The second of two duplicate names is kept as a plain name.
    ids.delete(name)
    return field === undefined ? { name } : { field }
  })
  return { fields, required }
}

/** The names in `required`; empty if it is absent, null if it is not a list of strings. */
function namesOf(required: Json | undefined): string[] | null {
  if (required === undefined) return []
  if (!isList(required)) return null
  const names = required.filter((name): name is string => typeof name === 'string')
  return names.length === required.length ? names : null
}

export function writeSchema(part: Part): Json {
  if (!isMap(part.keywords)) return part.keywords
  const schema = new Map(part.keywords)
  if (part.fields !== null && (schema.has('properties') || part.fields.length > 0)) {
    schema.set('properties', new Map(part.fields.map((field) => [field.name, writeSchema(field.part)])))
  }
  if (part.fields !== null) writeRequired(part, part.fields, schema)
  if (part.items !== null) schema.set('items', writeSchema(part.items))
  return schema
}

function writeRequired(part: Part, fields: readonly Field[], schema: Map<string, Json>): void {
  const requiredNames = new Map(fields.filter((field) => field.required).map((field) => [field.id, field.name]))
  if (part.required === null && requiredNames.size === 0) return
  const names: string[] = []
  for (const entry of part.required ?? []) {
    const name = 'name' in entry ? entry.name : requiredNames.get(entry.field)
    if ('field' in entry) requiredNames.delete(entry.field)
    if (name !== undefined) names.push(name)
  }
  names.push(...requiredNames.values())
  if (names.length > 0) schema.set('required', names)
  // A list that was already empty is kept; one that became empty is removed.
  else if (part.required === null || part.required.length > 0) schema.delete('required')
}

/** With one of these keywords, a schema without `type` is not just an object with properties. */
const UNIONS = ['anyOf', 'oneOf', 'const', 'not', 'if']

export function typeOf(keywords: Json): ShownType {
  if (!isMap(keywords) || keywords.has('$ref')) return 'other'
  const type = keywords.get('type')
  if (keywords.has('enum')) {
    const simple = type === undefined || type === 'string'
    return simple && enumValues(keywords) !== null ? 'enum' : 'other'
  }
  if (type === undefined) {
    const members = isMap(keywords.get('properties')) && !UNIONS.some((keyword) => keywords.has(keyword))
    return members ? 'object' : 'other'
  }
  const name = typeof type === 'string' ? type : typeBesideNull(type)
  return FIELD_TYPES.find((known) => known === name && known !== 'enum') ?? 'other'
}

function typeBesideNull(type: Json): Json | undefined {
  if (!isList(type) || type.length !== 2 || !type.includes('null')) return undefined
  return type.find((name) => name !== 'null')
}

export function isNullable(keywords: Json): boolean {
  return isMap(keywords) && isList(keywords.get('type')) && typeOf(keywords) !== 'other'
}

/** The values of an enum if all are non-empty single-line strings, else null. */
export function enumValues(keywords: Json): string[] | null {
  const values = isMap(keywords) ? keywords.get('enum') : undefined
  if (!isList(values)) return null
  const texts = values.filter((value): value is string => typeof value === 'string' && /^.+$/.test(value))
  return texts.length === values.length ? texts : null
}

/** The number of fields, including nested ones. */
export function countFields(part: Part): number {
  const inner = (part.fields ?? []).reduce((sum, field) => sum + 1 + countFields(field.part), 0)
  return inner + (part.items === null ? 0 : countFields(part.items))
}
