/** Chooses the control for each part of a schema. */
import { Exact, type Json, type JsonMap, at, isList, isMap, write } from '@/lib/lossless'
import { pointerParts } from '@/lib/json-text'

export type Control = 'text' | 'choice' | 'number' | 'boolean' | 'object' | 'list' | 'json'

/** A recursive schema is shown as a form to this depth, and as JSON below it. */
const MAX_DEPTH = 8

/** Follows `$ref`s inside the document, and converts "X or null" to a nullable X. */
export function resolved(schema: Json, root: Json, steps = MAX_DEPTH): Json {
  let current = schema
  for (let left = steps; left > 0; left -= 1) {
    const reference = isMap(current) ? current.get('$ref') : undefined
    if (typeof reference !== 'string' || !reference.startsWith('#')) return mergeNull(current, root, left - 1)
    let target: Json | undefined = root
    for (const part of pointerParts(decodeURIComponent(reference.slice(1)))) {
      target = isMap(target) ? target.get(part) : isList(target) ? target[Number(part)] : undefined
    }
    if (target === undefined) return current
    current = target
  }
  return current
}

/** Converts `anyOf: [X, {type: null}]` to one schema that allows null. Keywords next to it, such as a description, stay. */
function mergeNull(schema: Json, root: Json, steps: number): Json {
  if (!isMap(schema)) return schema
  const keyword = ['anyOf', 'oneOf'].find((name) => schema.has(name)) ?? ''
  const alternatives = schema.get(keyword)
  const others = isList(alternatives) ? alternatives.filter((alternative) => !isNull(alternative)) : []
  const [other] = others
  if (!isList(alternatives) || alternatives.length !== 2 || others.length !== 1 || other === undefined) return schema
  const inner = resolved(other, root, steps)
  if (!isMap(inner)) return schema
  const siblings = [...schema].filter(([name]) => name !== keyword)
  const values = enumeratedValues(inner)
  if (values !== null) return new Map<string, Json>([...inner, ...siblings, ['enum', [...values, null]]])
  const type = inner.get('type')
  return typeof type === 'string' ? new Map<string, Json>([...inner, ...siblings, ['type', [type, 'null']]]) : schema
}

const CONTROLS: Record<string, Control> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  object: 'object',
  array: 'list',
}

/** The single type of a schema besides null. */
function typeOf(schema: JsonMap): string | undefined {
  const type = schema.get('type')
  const [only, ...others] = (isList(type) ? type : [type]).filter((each) => each !== 'null')
  return typeof only === 'string' && others.length === 0 ? only : undefined
}

function isNull(schema: Json): boolean {
  return isMap(schema) && (schema.get('type') === 'null' || schema.get('const') === null)
}

/** Whether a schema allows null in addition to its type. */
export function isNullable(schema: Json): boolean {
  const type = isMap(schema) ? schema.get('type') : undefined
  return isList(type) && type.includes('null')
}

export function controlOf(schema: Json, depth = 0): Control {
  if (!isMap(schema) || depth > MAX_DEPTH) return 'json'
  const options = choicesOf(schema)
  if (options !== null) return 'choice'
  const control = CONTROLS[typeOf(schema) ?? '']
  if (control === 'object') return isMap(schema.get('properties')) ? 'object' : 'json'
  if (control === 'list') return isMap(schema.get('items')) ? 'list' : 'json'
  return control ?? 'json'
}

/** The control for an existing value. A value that does not fit the schema's control is shown as JSON. */
export function controlFor(schema: Json, value: Json | undefined, depth = 0): Control {
  const control = controlOf(schema, depth)
  if (value === undefined || value === null) return control
  const shows: Record<Control, () => boolean> = {
    text: () => typeof value === 'string',
    number: () => typeof value === 'number' || value instanceof Exact,
    boolean: () => typeof value === 'boolean',
    // A value that is not allowed is shown as an additional option.
    choice: () => isScalar(value),
    object: () => isMap(value),
    list: () => isList(value),
    json: () => true,
  }
  return shows[control]() ? control : 'json'
}

export interface Option {
  value: Json
  label: string
}

export const optionOf = (value: Json, title?: Json): Option => ({
  value,
  label: typeof title === 'string' ? title : typeof value === 'string' ? value : write(value),
})

/** The allowed values if all are scalars, labelled by their titles if each is a schema of its own; else null. */
export function choicesOf(schema: JsonMap): Option[] | null {
  const values = enumeratedValues(schema)
  if (values !== null) return values.map((value) => optionOf(value))
  const alternatives = schema.get('oneOf') ?? schema.get('anyOf')
  if (!isList(alternatives) || alternatives.length === 0) return null
  const options = alternatives.map((alternative) => {
    const value = isNull(alternative) ? null : at(alternative, 'const')
    return value !== undefined && isScalar(value) ? optionOf(value, at(alternative, 'title')) : null
  })
  return options.every((option) => option !== null) ? options : null
}

/** The values of `enum` or `const` if all are scalars. */
function enumeratedValues(schema: JsonMap): Json[] | null {
  const only = schema.get('const')
  const several = schema.get('enum')
  const values = only !== undefined ? [only] : isList(several) ? [...several] : []
  return values.length > 0 && values.every(isScalar) ? values : null
}

const isScalar = (value: Json) => value === null || value instanceof Exact || typeof value !== 'object'
