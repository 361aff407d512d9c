/** Reads and writes YAML as lossless JSON values. Loaded only with the editor, because the parser is large. */
import { type ScalarTag, type Tags, isAlias, isMap as isYamlMap, isNode, isScalar, isSeq, parseDocument, stringify } from 'yaml'
import type { Span } from './json-text'
import { Exact, type Json, numberOf } from './lossless'

/** Aliases can expand a small text into a huge value; no hand-written file comes near this. */
const MAX_NODES = 100_000

export interface YamlValue {
  value: Json
  /** The span of the value at a path, or of its nearest parent. */
  locate(parts: readonly string[]): Span
}

/** Throws a YamlError with the offset of the error. */
export function readYaml(text: string): YamlValue {
  const document = parseDocument(text, { version: '1.2', uniqueKeys: true })
  const error = document.errors[0]
  if (error !== undefined) throw new YamlError(error.message.split('\n')[0] ?? error.message, error.pos[0])
  const value = build(document.contents, { nodesLeft: MAX_NODES, anchors: new Map() })
  return { value, locate: (parts) => locate(document.contents, parts, text.length) }
}

export class YamlError extends SyntaxError {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message)
  }
}

interface BuildState {
  nodesLeft: number
  /** The latest node of each anchor: an alias refers to the last one before it. */
  anchors: Map<string, unknown>
}

function build(node: unknown, state: BuildState): Json {
  state.nodesLeft -= 1
  if (state.nodesLeft < 0) throw new YamlError('too large after expanding aliases', 0)
  if (isAlias(node)) {
    const target = state.anchors.get(node.source)
    if (target === undefined) throw new YamlError(`unknown anchor &${node.source}`, node.range?.[0] ?? 0)
    return build(target, state)
  }
  if (isNode(node) && node.anchor !== undefined) state.anchors.set(node.anchor, node)
  if (isYamlMap(node)) return new Map(node.items.map((pair) => [keyOf(pair.key), build(pair.value, state)]))
  if (isSeq(node)) return node.items.map((item) => build(item, state))
  return isScalar(node) ? scalar(node.value, node.source, node.range?.[0] ?? 0) : null
}

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/

function scalar(value: unknown, source: string | undefined, offset: number): Json {
  if (value instanceof Exact) return value
  if (typeof value === 'number' || typeof value === 'bigint') {
    const text = source !== undefined && JSON_NUMBER.test(source) ? source : String(value)
    if (!JSON_NUMBER.test(text)) throw new YamlError(`${text} is not a JSON number`, offset)
    return numberOf(text)
  }
  return typeof value === 'string' || typeof value === 'boolean' ? value : null
}

function keyOf(key: unknown): string {
  return isScalar(key) ? (typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))) : String(key)
}

function locate(root: unknown, parts: readonly string[], length: number): Span {
  let node = root
  let span = rangeOf(node) ?? { start: 0, end: length }
  for (const part of parts) {
    let next: unknown
    if (isYamlMap(node)) next = node.items.find((pair) => keyOf(pair.key) === part)?.value
    else if (isSeq(node)) next = node.items[Number(part)]
    const found = rangeOf(next)
    if (found === null) return span
    node = next
    span = found
  }
  return span
}

function rangeOf(node: unknown): Span | null {
  const range = (node as { range?: [number, number, number] | null } | null | undefined)?.range
  return range ? { start: range[0], end: range[1] } : null
}

/** Keeps the digits of a number that JavaScript would format differently. */
const exact: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: JSON_NUMBER,
  identify: (value) => value instanceof Exact,
  resolve: (text) => numberOf(text),
  stringify: (item) => (item.value instanceof Exact ? item.value.text : String(item.value)),
}

/** Custom tags for documents that are edited in place. */
export const exactNumbers = (tags: Tags): Tags => [exact, ...tags]

/** The value of a node, with aliases expanded. */
export function jsonOf(node: unknown): Json {
  return build(node, { nodesLeft: MAX_NODES, anchors: new Map() })
}

export function writeYaml(value: Json): string {
  return stringify(value, { version: '1.2', lineWidth: 100, aliasDuplicateObjects: false, customTags: exactNumbers })
}
