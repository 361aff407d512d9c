/** Which control a part of a schema gets, purely. */
import { Exact, type Json, type JsonMap, at, isList, isMap, write } from '@/lib/lossless'
import { pointerParts } from '@/lib/json-text'

export type Control = 'text' | 'choice' | 'number' | 'boolean' | 'object' | 'list' | 'json'

/** A schema that refers to itself is shown to this depth, and as JSON below. */
const DEEPEST = 8

/** Follows references inside the document, and takes what may also be null for what it is otherwise. */
export function resolved(schema: Json, root: Json, steps = DEEPEST): Json {
  let current = schema
  for (let left = steps; left > 0; left -= 1) {
    const reference = isMap(current) ? current.get('$ref') : undefined
    if (typeof reference !== 'string' || !reference.startsWith('#')) return orNull(current, root, left - 1)
    let target: Json | undefined = root
    for (const part of pointerParts(decodeURIComponent(reference.slice(1)))) {
      target = isMap(target) ? target.get(part) : isList(target) ? target[Number(part)] : undefined
    }
    if (target === undefined) return current
    current = target
  }
  return current
}

/** `anyOf: [X, {type: null}]` as one schema that allows null; what stands beside it, such as a description, stays. */
function orNull(schema: Json, root: Json, steps: number): Json {
  if (!isMap(schema)) return schema
  const keyword = ['anyOf', 'oneOf'].find((name) => schema.has(name)) ?? ''
  const ways = schema.get(keyword)
  const others = isList(ways) ? ways.filter((way) => !isNull(way)) : []
  const [other] = others
  if (!isList(ways) || ways.length !== 2 || others.length !== 1 || other === undefined) return schema
  const inner = resolved(other, root, steps)
  if (!isMap(inner)) return schema
  const beside = [...schema].filter(([name]) => name !== keyword)
  const values = listed(inner)
  if (values !== null) return new Map<string, Json>([...inner, ...beside, ['enum', [...values, null]]])
  const type = inner.get('type')
  return typeof type === 'string' ? new Map<string, Json>([...inner, ...beside, ['type', [type, 'null']]]) : schema
}

const CONTROLS: Record<string, Control> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  object: 'object',
  array: 'list',
}

/** The one type of a value that is not null. */
function typeOf(schema: JsonMap): string | undefined {
  const type = schema.get('type')
  const [only, ...others] = (isList(type) ? type : [type]).filter((each) => each !== 'null')
  return typeof only === 'string' && others.length === 0 ? only : undefined
}

function isNull(schema: Json): boolean {
  return isMap(schema) && (schema.get('type') === 'null' || schema.get('const') === null)
}

/** Whether null is a value of it, beside those of its one type. */
export function isNullable(schema: Json): boolean {
  const type = isMap(schema) ? schema.get('type') : undefined
  return isList(type) && type.includes('null')
}

export function controlOf(schema: Json, depth = 0): Control {
  if (!isMap(schema) || depth > DEEPEST) return 'json'
  const options = choicesOf(schema)
  if (options !== null) return 'choice'
  const control = CONTROLS[typeOf(schema) ?? '']
  if (control === 'object') return isMap(schema.get('properties')) ? 'object' : 'json'
  if (control === 'list') return isMap(schema.get('items')) ? 'list' : 'json'
  return control ?? 'json'
}

/** The control for a value that is already there: one that its schema's control cannot show is shown as JSON. */
export function controlFor(schema: Json, value: Json | undefined, depth = 0): Control {
  const control = controlOf(schema, depth)
  if (value === undefined || value === null) return control
  const shows: Record<Control, () => boolean> = {
    text: () => typeof value === 'string',
    number: () => typeof value === 'number' || value instanceof Exact,
    boolean: () => typeof value === 'boolean',
    // A value that is not allowed is shown as one more option, so that another one can be chosen.
    choice: () => isPlain(value),
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

/** The values that are allowed, where they are few and plain; by the titles that they have where each is a schema. */
export function choicesOf(schema: JsonMap): Option[] | null {
  const values = listed(schema)
  if (values !== null) return values.map((value) => optionOf(value))
  const ways = schema.get('oneOf') ?? schema.get('anyOf')
  if (!isList(ways) || ways.length === 0) return null
  const options = ways.map((way) => {
    const value = isNull(way) ? null : at(way, 'const')
    return value !== undefined && isPlain(value) ? optionOf(value, at(way, 'title')) : null
  })
  return options.every((option) => option !== null) ? options : null
}

/** The values of `enum` or `const`, where they are plain. */
function listed(schema: JsonMap): Json[] | null {
  const only = schema.get('const')
  const several = schema.get('enum')
  const values = only !== undefined ? [only] : isList(several) ? [...several] : []
  return values.length > 0 && values.every(isPlain) ? values : null
}

const isPlain = (value: Json) => value === null || value instanceof Exact || typeof value !== 'object'
