/** Labelled controls for parts of a node, with their problems. */
import type { ReactNode } from 'react'
import { NumberInput } from '@/components/typed-inputs'
import { Field, Input, Textarea } from '@/components/ui'
import { cn } from '@/lib/cn'
import { useNode } from './node'

interface Props {
  path: readonly string[]
  label: ReactNode
  hint?: ReactNode
  placeholder?: string
}

interface TextProps extends Props {
  /** Whether the text is code, such as a condition or a template. */
  code?: boolean
  /** Whether an empty text is written, because the field is required. */
  keepEmpty?: boolean
  oneLine?: boolean
}

export function TextPart({ path, label, hint, placeholder, code, keepEmpty, oneLine }: TextProps) {
  const { part, set, problem } = useNode()
  const value = part(...path)
  const text = typeof value === 'string' ? value : ''
  const change = (typed: string) => set(path, typed === '' && !keepEmpty ? undefined : typed)
  const common = { placeholder, value: text, className: cn(code && 'font-mono text-[0.93rem]'), spellCheck: !code }
  return (
    <Field label={label} hint={hint} error={problem(...path)}>
      {(ids) =>
        oneLine ? (
          <Input {...ids} {...common} onChange={(event) => change(event.target.value)} />
        ) : (
          <Textarea
            {...ids}
            {...common}
            rows={2}
            className={cn(common.className, 'max-h-80 min-h-8 [field-sizing:content]')}
            onChange={(event) => change(event.target.value)}
          />
        )
      }
    </Field>
  )
}

export function CountPart({ path, label, hint, placeholder }: Props) {
  const { part, set, problem } = useNode()
  return (
    <Field label={label} hint={hint} error={problem(...path)}>
      {(ids) => <NumberInput {...ids} counts placeholder={placeholder} value={part(...path)} onChange={(value) => set(path, value)} />}
    </Field>
  )
}
