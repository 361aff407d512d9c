/**
 * Edits the YAML text of a workflow in place: everything that an edit does not touch is kept, including comments and
 * formatting.
 */
import { Document, type Node, type Pair, Scalar, YAMLMap, YAMLSeq, isAlias, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml'
import type { Json } from '@/lib/lossless'
import { exactNumbers, jsonOf } from '@/lib/yaml-text'

const READ_OPTIONS = { version: '1.2', uniqueKeys: true, customTags: exactNumbers } as const

/** Keep line breaks; do not rewrap long lines. */
const WRITE_OPTIONS = { lineWidth: 0, aliasDuplicateObjects: false } as const

export class Editable {
  private constructor(private readonly document: Document) {}

  /** Returns null if the text is not a YAML mapping. */
  static of(text: string): Editable | null {
    const document = parseDocument(text, READ_OPTIONS) as Document
    if (document.errors.length > 0 || !isMap(document.contents)) return null
    expandAliases(document)
    return new Editable(document)
  }

  text(): string {
    return this.document.toString(WRITE_OPTIONS)
  }

  node(value: Json): Node {
    return this.document.createNode(value) as Node
  }

  /** The mapping at a path; created if it is missing. */
  map(...path: string[]): YAMLMap {
    let map = this.document.contents as YAMLMap
    for (const key of path) {
      let inner = map.get(key, true) as unknown
      if (!isMap(inner)) {
        inner = new YAMLMap()
        put(map, key, inner as YAMLMap)
      }
      map = inner as YAMLMap
    }
    return map
  }

  list(key: string): YAMLSeq {
    const map = this.map()
    const found = map.get(key, true)
    if (isSeq(found)) return found
    const created = new YAMLSeq()
    put(map, key, created)
    return created
  }

  /** Sets a member, or removes it if the value is undefined. Objects that become empty are removed too. */
  set(path: readonly string[], value: Json | undefined): void {
    const key = path.at(-1)
    if (key === undefined) return
    const above = path.slice(0, -1)
    if (value === undefined) {
      this.remove(above, key)
      return
    }
    const map = this.map(...above)
    const before = map.get(key, true)
    // Changing the value in place keeps its quotes and comment.
    if (isScalar(before) && (typeof value !== 'object' || value === null)) {
      before.value = value
      if (typeof value === 'string' && value.includes('\n')) before.type = Scalar.BLOCK_LITERAL
      return
    }
    const node = this.node(value)
    if (map.flow && (isMap(node) || isSeq(node))) map.flow = false
    if (isScalar(node) && typeof value === 'string' && value.includes('\n')) node.type = Scalar.BLOCK_LITERAL
    put(map, key, node)
  }

  private remove(above: readonly string[], key: string): void {
    if (!this.document.hasIn([...above, key])) return
    this.document.deleteIn([...above, key])
    const owner = above.at(-1)
    // Only below the level of a node: 'nodes' and a node itself may be empty.
    if (above.length > 2 && owner !== undefined && this.map(...above).items.length === 0) this.remove(above.slice(0, -1), owner)
  }
}

/** Sets a member in place, or appends it. An existing key keeps its formatting. */
function put(map: YAMLMap, key: string, value: Node): void {
  const pair = map.items.find((each) => keyOf(each) === key)
  if (pair !== undefined) pair.value = value
  else map.add({ key: new Scalar(key), value })
}

export function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key)
}

/** Replaces aliases with copies, so that editing one node does not change others that share the same anchor. */
function expandAliases(document: Document): void {
  let found = false
  visit(document, {
    Alias(_, alias) {
      found = true
      const target = alias.resolve(document)
      return target === undefined ? undefined : (document.createNode(jsonOf(target)) as Node)
    },
  })
  if (!found) return
  visit(document, {
    Node(_, node) {
      if (!isAlias(node)) delete (node as { anchor?: string }).anchor
    },
  })
}

/** Formats a new document, with one line per edge and blank lines between the sections. */
export function textOf(value: Json): string {
  const document = new Document(value, READ_OPTIONS)
  const { contents } = document
  if (!isMap(contents)) return document.toString(WRITE_OPTIONS)
  for (const pair of contents.items) {
    const key = keyOf(pair)
    if (key === 'nodes' || key === 'edges') (pair.key as Scalar).spaceBefore = true
    if (key === 'edges' && isSeq(pair.value)) for (const edge of pair.value.items) if (isMap(edge)) edge.flow = true
    if (key === 'nodes' && isMap(pair.value)) {
      for (const node of pair.value.items) {
        const position = isMap(node.value) ? node.value.get('position', true) : null
        if (isMap(position)) position.flow = true
      }
    }
  }
  return document.toString(WRITE_OPTIONS)
}
