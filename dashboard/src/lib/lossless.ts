/**
 * JSON that survives being edited: members keep their order (JavaScript moves names like "1" to the front of an object),
 * and a number that a double cannot hold, or that is written in another way, keeps its digits.
 */
import { type JsonNode, readJson, unquoted } from './json-text'

/** A number as it was written. */
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

/** A number, kept exactly where JavaScript would write it otherwise. */
export function numberOf(text: string): number | Exact {
  const value = Number(text)
  return String(value) === text ? value : new Exact(text)
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/

/** What somebody typed into a field for numbers; null where it is none. */
export function typedNumber(text: string): number | Exact | null {
  const trimmed = text.trim()
  return NUMBER.test(trimmed) ? numberOf(trimmed) : null
}

/** Reads strictly; throws a SyntaxError that says where. */
export function parse(text: string): Json {
  // Strict, and its words for what is wrong are good.
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

/** The text of a value: indented, or in one line where there is no indent. */
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

/** Whether two values are written the same, the order of members too. */
export function same(left: Json | undefined, right: Json | undefined): boolean {
  if (left === undefined || right === undefined) return left === right
  return left === right || write(left) === write(right)
}

/** From what JavaScript has. Members that are undefined are left out. */
export function fromPlain(value: unknown): Json {
  if (Array.isArray(value)) return value.map(fromPlain)
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined)
    return new Map(members.map(([key, member]) => [key, fromPlain(member)]))
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

/** For looking at only: what a double cannot hold is rounded. */
export function toPlain(value: Json): unknown {
  if (value instanceof Exact) return Number(value.text)
  if (isMap(value)) return Object.fromEntries([...value].map(([key, member]) => [key, toPlain(member)]))
  return isList(value) ? value.map(toPlain) : value
}

/** The part that a path leads to. */
export function at(value: Json | undefined, ...path: string[]): Json | undefined {
  let current = value
  for (const part of path) {
    if (isMap(current)) current = current.get(part)
    else if (isList(current)) current = current[Number(part)]
    else return undefined
  }
  return current
}

/** The same with another member: in its place where it was there, at the end where it was not, gone for undefined. */
export function withMember(map: JsonMap, key: string, value: Json | undefined): JsonMap {
  const copy = new Map(map)
  if (value === undefined) copy.delete(key)
  else copy.set(key, value)
  return copy
}

/** The same for a path through objects, which are made on the way; objects that become empty go with their last member. */
export function withAt(map: JsonMap, path: readonly string[], value: Json | undefined): JsonMap {
  const [key, ...rest] = path
  if (key === undefined) return map
  if (rest.length === 0) return withMember(map, key, value)
  const found = map.get(key)
  const inner = withAt(isMap(found) ? found : new Map(), rest, value)
  return withMember(map, key, inner.size === 0 && value === undefined ? undefined : inner)
}
