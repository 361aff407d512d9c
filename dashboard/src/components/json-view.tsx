/** JSON as a collapsible tree that keeps the digits of numbers. */
import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { cn } from '@/lib/cn'
import { plain } from '@/lib/inert'
import { type JsonNode, readJson, unquoted } from '@/lib/json-text'
import { InertText } from './inert-text'
import { Button } from './ui'

const OPEN_DEPTH = 3
const PAGE_SIZE = 100
const INLINE_STRING = 300

export function JsonView({ text }: { text: string }) {
  const { node } = readJson(text)
  if (node === null) return <InertText text={text} />
  return (
    <div className="font-mono text-[0.93rem] leading-relaxed">
      <Value text={text} node={node} depth={0} />
    </div>
  )
}

interface ValueProps {
  text: string
  node: JsonNode
  depth: number
  /** The key or index before it. */
  name?: string
}

function Value({ text, node, depth, name }: ValueProps) {
  if (node.kind === 'object' || node.kind === 'array') return <Branch text={text} node={node} depth={depth} name={name} />
  return (
    <div className="pl-5">
      <Name name={name} />
      <Leaf text={text} node={node} />
    </div>
  )
}

function Name({ name }: { name?: string }) {
  if (name === undefined) return null
  return (
    <span className="text-code-key [unicode-bidi:isolate]">
      {plain(name)}
      <span className="text-faint">: </span>
    </span>
  )
}

function Branch({ text, node, depth, name }: ValueProps) {
  const [open, setOpen] = useState(depth < OPEN_DEPTH)
  const [limit, setLimit] = useState(PAGE_SIZE)
  const id = useId()
  const children =
    node.kind === 'object'
      ? node.members
      : node.items.map((item, index) => ({ key: String(index), node: item }))
  const brackets = node.kind === 'object' ? '{}' : '[]'
  if (children.length === 0) {
    return (
      <div className="pl-5">
        <Name name={name} />
        {brackets}
      </div>
    )
  }
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="-ml-0.5 inline-flex items-center gap-0.5 rounded hover:bg-hover"
      >
        <ChevronRight aria-hidden className={cn('size-4 shrink-0 text-faint transition-transform', open && 'rotate-90')} />
        <Name name={name} />
        <span className="text-faint">
          {brackets[0]} {children.length} {brackets[1]}
        </span>
      </button>
      {open ? (
        <div id={id} className="ml-2 border-l pl-1">
          {children.slice(0, limit).map((child, index) => (
            <Value key={index} text={text} node={child.node} depth={depth + 1} name={child.key} />
          ))}
          {children.length > limit ? (
            <Button size="small" className="my-1 ml-5" onClick={() => setLimit(limit + PAGE_SIZE)}>
              Show more ({children.length - limit} hidden)
            </Button>
          ) : null}
        </div>
      ) : null}
    </div>
  )
}

const COLOURS: Record<string, string> = {
  string: 'text-code-string',
  number: 'text-code-number',
  boolean: 'text-code-keyword',
  null: 'text-code-keyword',
}

function Leaf({ text, node }: { text: string; node: JsonNode }) {
  const raw = text.slice(node.start, node.end)
  if (node.kind !== 'string') return <span className={COLOURS[node.kind]}>{raw}</span>
  const value = unquoted(text, node)
  if (value.length <= INLINE_STRING && !value.includes('\n')) {
    return <span className="text-code-string [overflow-wrap:anywhere] [unicode-bidi:isolate]">“{plain(value)}”</span>
  }
  return <InertText text={value} className="border-l-2 pl-2 text-code-string" />
}
