/**
 * JSON values that can be edited without loss: members keep their order (JavaScript moves names like "1" to the front of
 * an object), and a number that a double cannot represent, or that JavaScript would format differently, keeps its digits.
 */
import { type JsonNode, readJson, unquoted } from './json-text'

/** A number with its original digits. */
export class Exact {
  constructor(readonly text: string) {}
}

export type JsonMap = ReadonlyMap<string, Json>
export type Json = null | boolean | number | Exact | string | readonly Json[] | JsonMap

export function isMap(value: Json | undefined): value is JsonMap {
  return value instanceof Map
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** Parses a number, and keeps its text if JavaScript would format it differently. */
export function numberOf(text: string): number | Exact {
  const value = Number(text)
  return String(value) === text ? value : new Exact(text)
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/

/** Parses the text of a number field; null if it is not a number. */
export function typedNumber(text: string): number | Exact | null {
  const trimmed = text.trim()
  return NUMBER.test(trimmed) ? numberOf(trimmed) : null
}

/** Parses strict JSON; throws a SyntaxError with the position. */
export function parse(text: string): Json {
  // JSON.parse is strict and has good error messages; `readJson` is tolerant.
  JSON.parse(text)
  const { node, whole } = readJson(text)
  if (node === null || !whole) throw new SyntaxError('nested too deeply')
  return build(text, node)
}

function build(text: string, node: JsonNode): Json {
  switch (node.kind) {
    case 'null':
      return null
    case 'boolean':
      return text[node.start] === 't'
    case 'string':
      return unquoted(text, node)
    case 'number':
      return numberOf(text.slice(node.start, node.end))
    case 'array':
      return node.items.map((item) => build(text, item))
    case 'object': {
      const map = new Map<string, Json>()
      for (const { key, node: member } of node.members) {
        if (map.has(key)) throw new SyntaxError(`duplicate key ${JSON.stringify(key)}`)
        map.set(key, build(text, member))
      }
      return map
    }
  }
}

/** Serializes a value: indented, or on one line if `indent` is 0. */
export function write(value: Json, indent = 0): string {
  return written(value, indent, '\n')
}

function written(value: Json, indent: number, line: string): string {
  if (value instanceof Exact) return value.text
  const deeper = indent === 0 ? '' : line + ' '.repeat(indent)
  const [comma, colon, close] = indent === 0 ? [',', ':', ''] : [`,${deeper}`, ': ', line]
  if (isMap(value)) {
    if (value.size === 0) return '{}'
    const members = [...value].map(([key, member]) => JSON.stringify(key) + colon + written(member, indent, deeper))
    return `{${deeper}${members.join(comma)}${close}}`
  }
  if (isList(value)) {
    if (value.length === 0) return '[]'
    return `[${deeper}${value.map((item) => written(item, indent, deeper)).join(comma)}${close}]`
  }
  return JSON.stringify(value)
}

/** Whether two values are equal, including the order of members. */
export function same(left: Json | undefined, right: Json | undefined): boolean {
  if (left === undefined || right === undefined) return left === right
  return left === right || write(left) === write(right)
}

/** Converts a plain JavaScript value. Undefined members are omitted. */
export function fromPlain(value: unknown): Json {
  if (Array.isArray(value)) return value.map(fromPlain)
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined)
    return new Map(members.map(([key, member]) => [key, fromPlain(member)]))
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

/** Converts to a plain JavaScript value. For reading only: numbers that a double cannot represent are rounded. */
export function toPlain(value: Json): unknown {
  if (value instanceof Exact) return Number(value.text)
  if (isMap(value)) return Object.fromEntries([...value].map(([key, member]) => [key, toPlain(member)]))
  return isList(value) ? value.map(toPlain) : value
}

/** The value at a path. */
export function at(value: Json | undefined, ...path: string[]): Json | undefined {
  let current = value
  for (const part of path) {
    if (isMap(current)) current = current.get(part)
    else if (isList(current)) current = current[Number(part)]
    else return undefined
  }
  return current
}

/** Returns a copy with one member set: in place if it exists, else at the end. `undefined` removes it. */
export function withMember(map: JsonMap, key: string, value: Json | undefined): JsonMap {
  const copy = new Map(map)
  if (value === undefined) copy.delete(key)
  else copy.set(key, value)
  return copy
}

/** Like `withMember` for a path. Missing objects are created; objects that become empty are removed. */
export function withAt(map: JsonMap, path: readonly string[], value: Json | undefined): JsonMap {
  const [key, ...rest] = path
  if (key === undefined) return map
  if (rest.length === 0) return withMember(map, key, value)
  const found = map.get(key)
  const inner = withAt(isMap(found) ? found : new Map(), rest, value)
  return withMember(map, key, inner.size === 0 && value === undefined ? undefined : inner)
}
