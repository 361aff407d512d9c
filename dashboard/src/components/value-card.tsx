import { type ReactNode, useState } from 'react'
import { pretty } from '@/lib/json-text'
import { cn } from '@/lib/cn'
import { CopyButton } from './command'
import { InertText } from './inert-text'
import { JsonView } from './json-view'
import { Segmented } from './segmented'
import { Card, CardBody, CardHeader } from './ui'

interface Props {
  title: string
  /** JSON source text, or any other text. */
  text: string
  json?: boolean
  /** Between the heading and the value. */
  note?: ReactNode
  className?: string
}

/** An untrusted value as a tree or as text, with a copy button. */
export function ValueCard({ title, text, json = true, note, className }: Props) {
  const [shape, setShape] = useState<'tree' | 'text'>('tree')
  const shown = json ? pretty(text) : text
  return (
    <Card>
      <CardHeader
        title={title}
        actions={
          <div className="flex items-center gap-1">
            {json ? (
              <Segmented label={`${title} shown as`} options={SHAPES} value={shape} onChange={setShape} />
            ) : null}
            <CopyButton text={shown} label={`Copy: ${title}`} />
          </div>
        }
      />
      {note}
      <CardBody tabIndex={0} role="region" aria-label={title} className={cn('max-h-[70vh] overflow-auto', className)}>
        {json && shape === 'tree' ? <JsonView text={text} /> : <InertText text={shown} />}
      </CardBody>
    </Card>
  )
}

const SHAPES = [
  { value: 'tree', label: 'Tree' },
  { value: 'text', label: 'Text' },
] as const
