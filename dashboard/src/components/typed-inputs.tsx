/** Inputs for values that a text stands for: while somebody types, the text may be no value yet. */
import { type ComponentProps, useId, useState } from 'react'
import { Exact, type Json, typedNumber } from '@/lib/lossless'
import { cn } from '@/lib/cn'
import { Input, Textarea } from './ui'
import { useReport } from './unread'

function shown(value: Json | undefined): string {
  if (value instanceof Exact) return value.text
  return typeof value === 'number' || typeof value === 'string' ? String(value) : ''
}

interface NumberProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  value: Json | undefined
  onChange: (value: number | Exact | undefined) => void
  /** Only whole numbers from 0 on. */
  counts?: boolean
}

/** A number, as it is written; empty is none. What is no number is marked, not taken over, and reported as unread. */
export function NumberInput({ value, onChange, counts = false, ...rest }: NumberProps) {
  const said = useId()
  const [draft, setDraft] = useState<{ text: string; of: string } | null>(null)
  const current = shown(value)
  const text = draft !== null && draft.of === current ? draft.text : current
  const read = (typed: string) => {
    const found = typedNumber(typed)
    return counts && !(typeof found === 'number' && Number.isInteger(found) && found >= 0) ? null : found
  }
  const wrong = text.trim() !== '' && read(text) === null
  // A stored value that is no number is shown as it is, and whoever judges the whole says so.
  const unread = wrong && text !== current ? `“${text}” is not ${counts ? 'a whole number' : 'a number'}` : null
  useReport(unread)
  const change = (typed: string) => {
    const found = read(typed)
    const next = typed.trim() === '' ? undefined : found
    setDraft({ text: typed, of: next === null ? current : shown(next) })
    if (next !== null) onChange(next)
  }
  return (
    <>
      <Input
        {...rest}
        inputMode="decimal"
        value={text}
        aria-invalid={wrong || rest['aria-invalid']}
        aria-describedby={unread === null ? rest['aria-describedby'] : said}
        onChange={(event) => change(event.target.value)}
      />
      {unread === null ? null : (
        <p id={said} className="text-danger [overflow-wrap:anywhere]">
          {unread}
        </p>
      )}
    </>
  )
}

interface LinesProps extends Omit<ComponentProps<'textarea'>, 'value' | 'onChange'> {
  value: readonly string[]
  onChange: (lines: string[]) => void
}

/** Texts, one a line. Empty lines are none. */
export function LinesInput({ value, onChange, className, ...rest }: LinesProps) {
  const [draft, setDraft] = useState('')
  const lines = (text: string) => text.split('\n').filter((line) => line !== '')
  const current = value.join('\n')
  const text = lines(draft).join('\n') === current ? draft : current
  return (
    <Textarea
      spellCheck={false}
      rows={Math.min(value.length + 1, 10)}
      {...rest}
      className={cn('min-h-8', className)}
      value={text}
      onChange={(event) => {
        setDraft(event.target.value)
        onChange(lines(event.target.value))
      }}
    />
  )
}
