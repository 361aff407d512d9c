/** Inputs for values that are typed as text. While the user types, the text may not be a valid value yet. */
import { type ComponentProps, useId, useState } from 'react'
import { Exact, type Json, typedNumber } from '@/lib/lossless'
import { cn } from '@/lib/cn'
import { Input, Textarea } from './ui'
import { useReport } from './unread'

function textOf(value: Json | undefined): string {
  if (value instanceof Exact) return value.text
  return typeof value === 'number' || typeof value === 'string' ? String(value) : ''
}

interface NumberProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  value: Json | undefined
  onChange: (value: number | Exact | undefined) => void
  /** Allow only non-negative integers. */
  counts?: boolean
}

/** A number that keeps its digits; empty means undefined. Invalid text is marked and reported, and does not change the value. */
export function NumberInput({ value, onChange, counts = false, ...rest }: NumberProps) {
  const errorId = useId()
  const [draft, setDraft] = useState<{ text: string; of: string } | null>(null)
  const current = textOf(value)
  const text = draft !== null && draft.of === current ? draft.text : current
  const read = (typed: string) => {
    const found = typedNumber(typed)
    return counts && !(typeof found === 'number' && Number.isInteger(found) && found >= 0) ? null : found
  }
  const invalid = text.trim() !== '' && read(text) === null
  // A stored value that is not a number is shown unchanged; the validation of the whole document reports it.
  const unread = invalid && text !== current ? `“${text}” is not ${counts ? 'a whole number' : 'a number'}` : null
  useReport(unread)
  const change = (typed: string) => {
    const found = read(typed)
    const next = typed.trim() === '' ? undefined : found
    setDraft({ text: typed, of: next === null ? current : textOf(next) })
    if (next !== null) onChange(next)
  }
  return (
    <>
      <Input
        {...rest}
        inputMode="decimal"
        value={text}
        aria-invalid={invalid || rest['aria-invalid']}
        aria-describedby={unread === null ? rest['aria-describedby'] : errorId}
        onChange={(event) => change(event.target.value)}
      />
      {unread === null ? null : (
        <p id={errorId} className="text-danger [overflow-wrap:anywhere]">
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

/** A list of strings, one per line. Empty lines are ignored. */
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
