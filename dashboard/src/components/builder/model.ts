/**
 * A schema as fields, and back. Each part keeps the keywords that it was read from, and writing puts the fields back
 * where they stood: what nobody touched comes out to the letter, what the builder cannot show is kept.
 */
import { type Json, type JsonMap, isList, isMap } from '@/lib/lossless'

export const FIELD_TYPES = ['string', 'integer', 'number', 'boolean', 'enum', 'object', 'array'] as const
export type FieldType = (typeof FIELD_TYPES)[number]

/** `other`: a schema that is kept as it is, because the builder has no words for it. */
export type ShownType = FieldType | 'other'

/** One schema. */
export interface Part {
  /** All of it. What the next three hold is taken from there when it is written. */
  readonly keywords: Json
  /** The members, where there are some to show. */
  readonly fields: readonly Field[] | null
  /** The names of `required`, in the order of the source; fields that are not required (any more) keep their place. */
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
    // Of a name that stands twice, the second is no field's.
    ids.delete(name)
    return field === undefined ? { name } : { field }
  })
  return { fields, required }
}

/** The names of `required`; none where it is absent, null where it is no list of names. */
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
  const asked = new Map(fields.filter((field) => field.required).map((field) => [field.id, field.name]))
  if (part.required === null && asked.size === 0) return
  const names: string[] = []
  for (const entry of part.required ?? []) {
    const name = 'name' in entry ? entry.name : asked.get(entry.field)
    if ('field' in entry) asked.delete(entry.field)
    if (name !== undefined) names.push(name)
  }
  names.push(...asked.values())
  if (names.length > 0) schema.set('required', names)
  // An empty list that was there stays; one that became empty goes.
  else if (part.required === null || part.required.length > 0) schema.delete('required')
}

/** Keywords that say more than one type can show. Beside `$ref` nothing else is read in the default dialect. */
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
  const name = typeof type === 'string' ? type : besideNull(type)
  return FIELD_TYPES.find((known) => known === name && known !== 'enum') ?? 'other'
}

function besideNull(type: Json): Json | undefined {
  if (!isList(type) || type.length !== 2 || !type.includes('null')) return undefined
  return type.find((name) => name !== 'null')
}

export function isNullable(keywords: Json): boolean {
  return isMap(keywords) && isList(keywords.get('type')) && typeOf(keywords) !== 'other'
}

/** The choices of an enum of texts, as one can write them one a line; null where there are others. */
export function enumValues(keywords: Json): string[] | null {
  const values = isMap(keywords) ? keywords.get('enum') : undefined
  if (!isList(values)) return null
  const texts = values.filter((value): value is string => typeof value === 'string' && /^.+$/.test(value))
  return texts.length === values.length ? texts : null
}

/** How many fields there are, those of items and members too. */
export function countFields(part: Part): number {
  const inner = (part.fields ?? []).reduce((sum, field) => sum + 1 + countFields(field.part), 0)
  return inner + (part.items === null ? 0 : countFields(part.items))
}
