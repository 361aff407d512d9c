/**
 * A JSON parser that keeps the position of each value and the original digits of numbers. It is tolerant: it reads broken
 * or truncated text as far as possible, so that an error in it can still be located. The server decides what is valid JSON.
 */
export interface JsonNode {
  kind: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'
  start: number
  end: number
  members: { key: string; node: JsonNode }[]
  items: JsonNode[]
}

export interface Span {
  start: number
  end: number
}

/** Deeper than the server accepts. */
const MAX_DEPTH = 200

class Reader {
  /** Whether everything so far was well formed. */
  whole = true

  constructor(
    readonly text: string,
    public at: number,
  ) {}

  value(depth: number): JsonNode | null {
    this.space()
    const char = this.text[this.at]
    if (char === undefined || depth > MAX_DEPTH) return this.broken()
    if (char === '{') return this.object(depth)
    if (char === '[') return this.array(depth)
    if (char === '"') return this.string()
    return this.word()
  }

  private broken(): null {
    this.whole = false
    return null
  }

  private space(): void {
    while (' \t\r\n'.includes(this.text[this.at] ?? 'x')) this.at += 1
  }

  private node(kind: JsonNode['kind'], start: number): JsonNode {
    return { kind, start, end: this.at, members: [], items: [] }
  }

  private string(): JsonNode | null {
    const start = this.at
    this.at += 1
    while (this.at < this.text.length && this.text[this.at] !== '"') this.at += this.text[this.at] === '\\' ? 2 : 1
    if (this.at >= this.text.length) {
      this.at = this.text.length
      this.whole = false
    } else this.at += 1
    return this.node('string', start)
  }

  private word(): JsonNode | null {
    const start = this.at
    while (/[-+.\w]/.test(this.text[this.at] ?? ' ')) this.at += 1
    const word = this.text.slice(start, this.at)
    if (word === 'true' || word === 'false') return this.node('boolean', start)
    if (word === 'null') return this.node('null', start)
    if (/^-?\d/.test(word)) return this.node('number', start)
    this.at = start
    return this.broken()
  }

  private object(depth: number): JsonNode {
    const node = this.node('object', this.at)
    this.at += 1
    for (;;) {
      this.space()
      if (this.closes('}', node)) return node
      const key = this.text[this.at] === '"' ? this.string() : null
      this.space()
      if (key === null || this.text[this.at] !== ':') return this.unfinished(node)
      this.at += 1
      const value = this.value(depth + 1)
      if (value === null) return this.unfinished(node)
      node.members.push({ key: unquoted(this.text, key), node: value })
      if (!this.whole) return this.unfinished(node)
      this.comma()
    }
  }

  private array(depth: number): JsonNode {
    const node = this.node('array', this.at)
    this.at += 1
    for (;;) {
      this.space()
      if (this.closes(']', node)) return node
      const value = this.value(depth + 1)
      if (value === null) return this.unfinished(node)
      node.items.push(value)
      if (!this.whole) return this.unfinished(node)
      this.comma()
    }
  }

  private closes(bracket: string, node: JsonNode): boolean {
    if (this.text[this.at] !== bracket) return false
    this.at += 1
    node.end = this.at
    return true
  }

  private comma(): void {
    this.space()
    if (this.text[this.at] === ',') this.at += 1
  }

  private unfinished(node: JsonNode): JsonNode {
    this.whole = false
    node.end = this.at
    return node
  }
}

/** Reads the value that begins at `from`. `whole` is false if the JSON is broken or truncated. */
export function readJson(text: string, from = 0): { node: JsonNode | null; whole: boolean } {
  const reader = new Reader(text, from)
  const node = reader.value(0)
  return { node, whole: reader.whole }
}

/** The value of a string node, or its source text if it is not a valid string. */
export function unquoted(text: string, node: Span): string {
  const raw = text.slice(node.start, node.end)
  try {
    const value: unknown = JSON.parse(raw)
    return typeof value === 'string' ? value : raw
  } catch {
    return raw
  }
}

/** Splits a JSON pointer into its unescaped parts. */
export function pointerParts(pointer: string): string[] {
  if (!pointer.startsWith('/')) return []
  return pointer.slice(1).split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Follows a pointer as far as it exists. `depth` is the number of parts that were found. */
export function follow(node: JsonNode, parts: string[]): { node: JsonNode; depth: number } {
  let current = node
  for (const [depth, part] of parts.entries()) {
    const next =
      current.kind === 'array'
        ? current.items[Number(part)]
        : current.members.findLast((member) => member.key === part)?.node
    if (next === undefined) return { node: current, depth }
    current = next
  }
  return { node: current, depth: parts.length }
}

const OPENING = /[{[]/g

/** The span of a pointer's value, or of its nearest parent, in an answer that may have prose around its JSON. */
export function locate(text: string, pointer: string): Span | null {
  const parts = pointerParts(pointer)
  let best: { span: Span; depth: number } | null = null
  let from = 0
  for (;;) {
    OPENING.lastIndex = from
    const opening = OPENING.exec(text)
    if (opening === null) return best?.span ?? null
    const { node } = readJson(text, opening.index)
    if (node === null) return best?.span ?? null
    const { node: found, depth } = follow(node, parts)
    const longer = best !== null && depth === best.depth && found.end - found.start > best.span.end - best.span.start
    if (best === null || depth > best.depth || longer) best = { span: { start: found.start, end: found.end }, depth }
    from = Math.max(node.end, opening.index + 1)
  }
}

/** Formats a value with one member per line and numbers unchanged. */
export function indented(text: string, node: JsonNode, depth = 0): string {
  const inner = '  '.repeat(depth + 1)
  const outer = '  '.repeat(depth)
  if (node.kind === 'object' && node.members.length > 0) {
    const lines = node.members.map(
      (member) => `${inner}${JSON.stringify(member.key)}: ${indented(text, member.node, depth + 1)}`,
    )
    return `{\n${lines.join(',\n')}\n${outer}}`
  }
  if (node.kind === 'array' && node.items.length > 0) {
    const lines = node.items.map((item) => `${inner}${indented(text, item, depth + 1)}`)
    return `[\n${lines.join(',\n')}\n${outer}]`
  }
  return text.slice(node.start, node.end)
}

/** Indents a text that is one JSON value; returns any other text unchanged. */
export function pretty(text: string): string {
  const { node, whole } = readJson(text)
  if (node === null || !whole || text.slice(node.end).trim() !== '') return text
  return indented(text, node)
}
