/** All changes that the builder makes. Each only touches its own keyword. */
import { type Json, type JsonMap, isMap, withMember } from '@/lib/lossless'
import { ownKeywords } from './constraints'
import { type Field, type FieldType, type Part, enumValues, isNullable, newId, readSchema, typeOf, writeSchema } from './model'

/** The initial schema of each type. Objects are closed. An enum starts without values and is not written before it has one. */
const FRESH: Record<FieldType, readonly [string, Json][]> = {
  string: [['type', 'string']],
  integer: [['type', 'integer']],
  number: [['type', 'number']],
  boolean: [['type', 'boolean']],
  enum: [['type', 'string'], ['enum', []]],
  object: [['type', 'object'], ['properties', new Map()], ['additionalProperties', false]],
  array: [['type', 'array'], ['items', new Map([['type', 'string']])]],
}

function freshPart(type: FieldType): Part {
  return readSchema(new Map(FRESH[type]))
}

/** Keywords with long values. Other keywords are inserted before them, so that they stay near the type. */
const LONG = ['properties', 'required', 'items', 'additionalProperties', 'enum']

/** Sets one keyword. A new one is inserted before the long keywords. */
export function withKeyword(part: Part, keyword: string, value: Json | undefined): Part {
  if (!isMap(part.keywords)) return part
  if (value === undefined || part.keywords.has(keyword) || LONG.includes(keyword)) {
    return { ...part, keywords: withMember(part.keywords, keyword, value) }
  }
  const entries = [...part.keywords]
  const found = entries.findIndex(([key]) => LONG.includes(key))
  entries.splice(found === -1 ? entries.length : found, 0, [keyword, value])
  return { ...part, keywords: new Map(entries) }
}

/** Changes the type. Annotations and unknown keywords stay; the constraints of the old type are removed. */
export function withType(part: Part, type: FieldType): Part {
  const old = typeOf(part.keywords)
  if (old === type) return part
  const before = writeSchema(part)
  const numeric = (name: string) => name === 'integer' || name === 'number'
  const dropped = new Set(numeric(old) && numeric(type) ? [] : old === 'other' ? [] : ownKeywords(old))
  const kept = isMap(before) ? [...before].filter(([key]) => key !== 'type' && !dropped.has(key)) : []
  const annotations = old === 'other' ? kept.filter(([key]) => key === 'description' || key === 'title') : kept
  const fresh = FRESH[type].map(([key, value]): [string, Json] => [
    key,
    key === 'type' && type !== 'enum' && isNullable(part.keywords) ? [value, 'null'] : value,
  ])
  const [first, ...rest] = fresh
  return readSchema(new Map([...(first ? [first] : []), ...annotations, ...rest]))
}

export function withNullable(part: Part, nullable: boolean): Part {
  const type = typeOf(part.keywords)
  if (type === 'other' || type === 'enum') return part
  return withKeyword(part, 'type', nullable ? [type, 'null'] : type)
}

export function withFields(part: Part, fields: readonly Field[]): Part {
  return { ...part, fields }
}

export function withField(fields: readonly Field[], changed: Field): Field[] {
  return fields.map((field) => (field.id === changed.id ? changed : field))
}

export function withoutField(fields: readonly Field[], id: string): Field[] {
  return fields.filter((field) => field.id !== id)
}

/** Adds a field with an unused name. It is required, because models tend to omit optional fields. */
export function withNewField(fields: readonly Field[], type: FieldType = 'string'): { fields: Field[]; added: Field } {
  const names = new Set(fields.map((field) => field.name))
  let number = fields.length + 1
  while (names.has(`field_${number}`)) number += 1
  const added: Field = { id: newId(), name: `field_${number}`, required: true, part: freshPart(type) }
  return { fields: [...fields, added], added }
}

export function movedField(fields: readonly Field[], from: number, to: number): Field[] {
  const copy = [...fields]
  const [moved] = copy.splice(from, 1)
  if (moved !== undefined) copy.splice(to, 0, moved)
  return copy
}

/** The shape of an output: one object, a list, or something that the builder cannot show. */
export type Shape = 'single' | 'list' | 'other'

export function shapeOf(part: Part): Shape {
  const type = typeOf(part.keywords)
  if (type === 'object' && part.fields !== null) return 'single'
  return type === 'array' && part.items !== null ? 'list' : 'other'
}

/** Keywords that belong to the document, not to its root value. They stay at the root. */
const DOCUMENT_KEYWORDS = ['$schema', '$id', '$defs', 'definitions', '$comment', 'title']

/** Wraps an object into a list, or unwraps a list to its item. */
export function withShape(part: Part, shape: 'single' | 'list'): Part {
  if (shapeOf(part) === shape) return part
  const whole = writeSchema(part)
  if (!isMap(whole) || shapeOf(part) === 'other') return freshRoot(shape)
  return readSchema(shape === 'list' ? listOf(whole) : itemOf(whole))
}

export function freshRoot(shape: 'single' | 'list'): Part {
  const single = freshPart('object')
  return shape === 'single' ? single : readSchema(new Map<string, Json>([['type', 'array'], ['items', writeSchema(single)]]))
}

function listOf(whole: JsonMap): JsonMap {
  const outside = [...whole].filter(([key]) => DOCUMENT_KEYWORDS.includes(key))
  const inside = [...whole].filter(([key]) => !DOCUMENT_KEYWORDS.includes(key))
  return new Map<string, Json>([...outside, ['type', 'array'], ['items', new Map(inside)]])
}

function itemOf(whole: JsonMap): Json {
  const items = whole.get('items')
  if (!isMap(items)) return new Map(FRESH.object)
  const outside = [...whole].filter(([key]) => DOCUMENT_KEYWORDS.includes(key) && !items.has(key))
  return new Map([...outside, ...items])
}

/** Missing and duplicate names, by the field's id. */
export function nameProblems(part: Part): Map<string, string> {
  const problems = new Map<string, string>()
  const visit = (inner: Part): void => {
    const seen = new Set<string>()
    for (const field of inner.fields ?? []) {
      if (field.name === '') problems.set(field.id, 'A field needs a name')
      else if (seen.has(field.name)) problems.set(field.id, `A field named ${field.name} already exists`)
      seen.add(field.name)
      visit(field.part)
    }
    if (inner.items !== null) visit(inner.items)
  }
  visit(part)
  return problems
}

/** Enums without values. They are not written, because no value could match them. */
export function enumProblems(part: Part, name: string): string[] {
  return [
    ...(isEmptyEnum(part) ? [`${name} needs at least one allowed value`] : []),
    ...(part.fields ?? []).flatMap((field) => enumProblems(field.part, field.name)),
    ...(part.items === null ? [] : enumProblems(part.items, `each item of ${name}`)),
  ]
}

export function isEmptyEnum(part: Part): boolean {
  return typeOf(part.keywords) === 'enum' && enumValues(part.keywords)?.length === 0
}
