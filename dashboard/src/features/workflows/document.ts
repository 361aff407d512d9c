/**
 * A workflow's text, changed as a document: what an edit does not touch stays as it is written, comments too. Every
 * edit is a function from text to text.
 */
import { Document, type Node, type Pair, Scalar, YAMLMap, YAMLSeq, isAlias, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml'
import type { Json } from '@/lib/lossless'
import { exactNumbers, jsonOf } from '@/lib/yaml-text'

const READING = { version: '1.2', uniqueKeys: true, customTags: exactNumbers } as const

/** Lines are broken where their writer broke them. */
const WRITING = { lineWidth: 0, aliasDuplicateObjects: false } as const

export class Editable {
  private constructor(private readonly document: Document) {}

  /** Null where the text is no YAML with members. */
  static of(text: string): Editable | null {
    const document = parseDocument(text, READING) as Document
    if (document.errors.length > 0 || !isMap(document.contents)) return null
    withoutAliases(document)
    return new Editable(document)
  }

  text(): string {
    return this.document.toString(WRITING)
  }

  node(value: Json): Node {
    return this.document.createNode(value) as Node
  }

  /** The members at a place; made where they are not there. */
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
    const made = new YAMLSeq()
    put(map, key, made)
    return made
  }

  /** Sets a member, or removes it for undefined; objects that become empty go with their last member. */
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
    // A text keeps its own way of being quoted, and its comment.
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
    // Only what stands inside of a node: 'nodes' and a node itself may be empty.
    if (above.length > 2 && owner !== undefined && this.map(...above).items.length === 0) this.remove(above.slice(0, -1), owner)
  }
}

/** Puts a member in its place, or at the end; its key stays as it is written. */
function put(map: YAMLMap, key: string, value: Node): void {
  const pair = map.items.find((each) => keyOf(each) === key)
  if (pair !== undefined) pair.value = value
  else map.add({ key: new Scalar(key), value })
}

export function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key)
}

/** Whoever is edited must own what it holds: an alias becomes a copy of what it means. */
function withoutAliases(document: Document): void {
  let found = false
  visit(document, {
    Alias(_, alias) {
      found = true
      const meant = alias.resolve(document)
      return meant === undefined ? undefined : (document.createNode(jsonOf(meant)) as Node)
    },
  })
  if (!found) return
  visit(document, {
    Node(_, node) {
      if (!isAlias(node)) delete (node as { anchor?: string }).anchor
    },
  })
}

/** The text of a new document: an edge in one line, and air between the parts. */
export function textOf(value: Json): string {
  const document = new Document(value, READING)
  const { contents } = document
  if (!isMap(contents)) return document.toString(WRITING)
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
  return document.toString(WRITING)
}
