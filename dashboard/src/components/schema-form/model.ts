/** The logic of schema forms: initial values, and which field shows which error. */
import { type Json, type JsonMap, at, isList, isMap } from '@/lib/lossless'
import { isWithin, pathParts, pointerOf } from '@/lib/paths'
import { type Control, choicesOf, controlFor, controlOf, isNullable, resolved } from './controls'

export interface Member {
  name: string
  schema: Json
  required: boolean
}

export function membersOf(schema: JsonMap): Member[] {
  const properties = schema.get('properties')
  const required = schema.get('required')
  const names = isList(required) ? required : []
  return isMap(properties) ? [...properties].map(([name, part]) => ({ name, schema: part, required: names.includes(name) })) : []
}

/**
 * The initial value of a form: defaults, constants and required objects, nothing else. Optional objects are added when the
 * user opens them. So are objects inside an object with the same schema, because they could nest forever.
 */
export function initialValue(schema: Json, root: Json, above: readonly Json[] = [], required = true): Json | undefined {
  const part = resolved(schema, root)
  if (!isMap(part)) return undefined
  const preset = part.get('default') ?? part.get('const')
  if (preset !== undefined) return preset
  if (part.get('default') === null && isNullable(part)) return null
  if (controlOf(part, above.length) !== 'object' || isClosed(part, undefined, required, above)) return undefined
  const value = new Map<string, Json>()
  for (const member of membersOf(part)) {
    const inner = initialValue(member.schema, root, [...above, part], member.required)
    if (inner !== undefined) value.set(member.name, inner)
  }
  return value
}

/** Whether an object is shown as a button that adds it. `above` are the schemas of the enclosing objects. */
export function isClosed(part: Json, value: Json | undefined, required: boolean, above: readonly Json[]): boolean {
  if (isNullable(part) && above.length > 0) return value === undefined || value === null
  return value === undefined && (!required || above.includes(part))
}

/** Whether a form can show everything in a value. */
export function showsAll(schema: Json, value: Json | undefined, root: Json, depth = 0): boolean {
  const part = resolved(schema, root)
  const control = controlFor(part, value, depth)
  if (control === 'object' && isMap(part) && isMap(value)) {
    const members = new Map(membersOf(part).map((member) => [member.name, member.schema]))
    return [...value].every(([name, inner]) => {
      const member = members.get(name)
      return member !== undefined && showsAll(member, inner, root, depth + 1)
    })
  }
  if (control === 'list' && isMap(part) && isList(value)) {
    const item = part.get('items') ?? true
    return value.every((inner) => showsAll(item, inner, root, depth + 1))
  }
  return true
}

/** The properties of an object that its schema does not declare. */
export function extrasOf(schema: JsonMap, value: JsonMap): [string, Json][] {
  const known = new Set(membersOf(schema).map(({ name }) => name))
  return [...value].filter(([name]) => !known.has(name))
}

/** The initial value of a new list item. */
export function newItem(schema: Json, root: Json): Json {
  const initial = initialValue(schema, root)
  if (initial !== undefined) return initial
  const part = resolved(schema, root)
  const empty: Partial<Record<Control, Json>> = { text: '', boolean: false, list: [], object: new Map() }
  if (isMap(part) && controlOf(part) === 'choice') return choicesOf(part)?.[0]?.value ?? null
  return empty[controlOf(part)] ?? null
}

export interface FormError {
  path: string
  /** The schema keyword that the value violates. */
  keyword?: string
  message: string
}

/**
 * Moves "required" errors to the field of the missing property: the server reports them at the object. An error whose field the
 * form does not show stays at the object.
 */
export function errorsAtFields(errors: readonly FormError[], schema: Json, value: Json | undefined): FormError[] {
  const placed = new Set<string>()
  return errors.flatMap((error) => {
    if (error.keyword !== 'required') return [error]
    const missing = missingAt(pathParts(error.path), schema, value)
    if (missing.length === 0) return [error]
    return missing.flatMap((name) => {
      const path = `${error.path}[${JSON.stringify(name)}]`
      if (placed.has(path)) return []
      placed.add(path)
      return [{ path, message: 'Required' }]
    })
  })
}

/** The required properties that are missing at a path, if the form shows their fields. */
function missingAt(path: readonly string[], schema: Json, value: Json | undefined): string[] {
  let part = resolved(schema, schema)
  let current = value
  for (const step of path) {
    if (!isMap(part)) return []
    const inner = isList(current) ? (part.get('items') ?? true) : membersOf(part).find(({ name }) => name === step)?.schema
    if (inner === undefined) return []
    part = resolved(inner, schema)
    current = at(current, step)
  }
  if (!isMap(part) || controlFor(part, current, path.length) !== 'object') return []
  const map = isMap(current) ? current : new Map<string, Json>()
  return membersOf(part).flatMap(({ name, required }) => (required && !map.has(name) ? [name] : []))
}

/** Whether the form has a field that shows errors at this path. Other errors are shown above the form. */
export function isVisible(path: readonly string[], schema: Json, value: Json | undefined): boolean {
  const above: Json[] = []
  let part = resolved(schema, schema)
  let current = value
  let required = true
  for (let depth = 0; ; depth += 1) {
    const control = controlFor(part, current, depth)
    const step = path[depth]
    if (control === 'json' || !isMap(part)) return true
    if (control === 'object' && isClosed(part, current, required, above)) return false
    if (step === undefined) return true
    if (control !== 'object' && control !== 'list') return false
    const member = control === 'object' ? membersOf(part).find(({ name }) => name === step) : { schema: part.get('items') ?? true, required: true }
    const inner = at(current, step)
    // A property that the schema does not declare is shown as JSON, with everything in it.
    if (member === undefined) return inner !== undefined
    if (control === 'list' && inner === undefined) return false
    if (control === 'object') above.push(part)
    part = resolved(member.schema, schema)
    current = inner
    required = member.required
  }
}

/** The errors at exactly this path, in one line. */
export function errorAt(errors: readonly FormError[], path: readonly string[]): string | undefined {
  const key = pointerOf(path)
  const found = errors.filter((error) => pointerOf(pathParts(error.path)) === key)
  return found.length === 0 ? undefined : found.map((error) => error.message).join('; ')
}

/** The errors at this path and below it, for values that are shown as one JSON field. */
export function errorsWithin(errors: readonly FormError[], path: readonly string[]): string | undefined {
  const messages = errors.flatMap((error) => {
    const parts = pathParts(error.path)
    if (!isWithin(parts, path)) return []
    return [parts.length === path.length ? error.message : `${error.path}: ${error.message}`]
  })
  return messages.length === 0 ? undefined : messages.join('; ')
}
