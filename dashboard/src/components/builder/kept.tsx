import { Lock } from 'lucide-react'
import { Badge } from '@/components/ui'
import { type Json, isMap, write } from '@/lib/lossless'
import { keptKeywords } from './constraints'
import type { Part } from './model'

/** Lists the keywords that no control shows. They can be viewed and are kept unchanged. */
export function Kept({ part }: { part: Part }) {
  const names = keptKeywords(part)
  if (names.length === 0 || !isMap(part.keywords)) return null
  const keywords = part.keywords
  const kept = new Map(names.map((name): [string, Json] => [name, keywords.get(name) ?? null]))
  return (
    <details className="min-w-0">
      <summary className="w-fit max-w-full rounded" title="Kept as written; to change it, switch to code">
        <Badge tone="info" className="max-w-full whitespace-normal">
          <Lock aria-hidden className="shrink-0" />
          Kept as written: {names.join(', ')}
        </Badge>
      </summary>
      <Source value={kept} />
    </details>
  )
}

/** A schema that the builder cannot show as fields. */
export function Unshown({ schema }: { schema: Json }) {
  return (
    <div className="min-w-0">
      <Badge tone="info">
        <Lock aria-hidden />
        Kept as written; to change it, switch to code
      </Badge>
      <Source value={schema} />
    </div>
  )
}

function Source({ value }: { value: Json }) {
  return (
    <pre tabIndex={0} aria-label="Kept part of the schema" className="mt-1 max-h-48 overflow-auto rounded-md bg-sunken px-3 py-2">
      {write(value, 2)}
    </pre>
  )
}
