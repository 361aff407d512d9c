import { type ReactNode, useId, useState } from 'react'
import { NumberInput } from '@/components/typed-inputs'
import { Checkbox, Input, Select, Textarea } from '@/components/ui'
import { useReport } from '@/components/unread'
import { plain } from '@/lib/inert'
import { type Json, isMap, parse, same, write } from '@/lib/lossless'
import { type Control, type Option, choicesOf, isNullable, optionOf } from './controls'

interface Props {
  ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }
  control: Control
  schema: Json
  value: Json | undefined
  onChange: (value: Json | undefined) => void
}

/** The control of one value. Empty means absent. */
export function Leaf(props: Props) {
  const { ids, control, schema, value, onChange } = props
  const placeholder = value === null ? 'null' : undefined
  switch (control) {
    case 'choice':
      return <Choice {...props} options={(isMap(schema) && choicesOf(schema)) || []} />
    case 'boolean':
      return <Choice {...props} options={isNullable(schema) ? [...TRUTHS, NULL] : TRUTHS} />
    case 'number':
      return <NumberInput {...ids} placeholder={placeholder} value={value} onChange={onChange} />
    case 'text':
      return <TextValue ids={ids} schema={schema} value={value} onChange={onChange} placeholder={placeholder} />
    default:
      return <JsonValue ids={ids} value={value} onChange={onChange} />
  }
}

const TRUTHS: readonly Option[] = [
  { value: true, label: 'true' },
  { value: false, label: 'false' },
]
const NULL: Option = { value: null, label: 'null' }

interface OrNullProps extends Pick<Props, 'value' | 'onChange'> {
  label: string
  children: ReactNode
}

/** A control that has no way to say null, and that way beside it. */
export function OrNull({ label, value, onChange, children }: OrNullProps) {
  return (
    <div className="flex items-start gap-3">
      <div className="flex min-w-0 flex-1 flex-col gap-1">{children}</div>
      <Checkbox
        label="null"
        aria-label={`null for ${plain(label)}`}
        className="h-8 shrink-0 font-mono text-muted"
        checked={value === null}
        onChange={(event) => onChange(event.target.checked ? null : undefined)}
      />
    </div>
  )
}

function Choice({ ids, value, onChange, options: allowed }: Props & { options: readonly Option[] }) {
  const isOther = value !== undefined && !allowed.some((option) => same(option.value, value))
  const options = isOther ? [...allowed, { value, label: `${optionOf(value).label} (not allowed)` }] : allowed
  return (
    <Select
      {...ids}
      value={value === undefined ? '' : write(value)}
      onChange={(event) => onChange(options.find((option) => write(option.value) === event.target.value)?.value)}
    >
      <option value=""> </option>
      {options.map((option) => (
        <option key={write(option.value)} value={write(option.value)}>
          {plain(option.label)}
        </option>
      ))}
    </Select>
  )
}

const SHORT_FORMATS = ['date', 'time', 'date-time', 'email', 'uuid', 'uri', 'hostname', 'ipv4', 'ipv6']
const ONE_LINE = 120

function TextValue({ ids, schema, value, onChange, placeholder }: Omit<Props, 'control'> & { placeholder?: string }) {
  const format = isMap(schema) ? schema.get('format') : undefined
  const longest = isMap(schema) ? schema.get('maxLength') : undefined
  const short = SHORT_FORMATS.includes(String(format)) || (typeof longest === 'number' && longest <= ONE_LINE)
  const text = typeof value === 'string' ? value : ''
  const change = (next: string) => onChange(next === '' ? undefined : next)
  if (short) return <Input {...ids} placeholder={placeholder} value={text} onChange={(event) => change(event.target.value)} />
  return (
    <Textarea
      {...ids}
      placeholder={placeholder}
      rows={2}
      className="max-h-80 min-h-8 [field-sizing:content]"
      value={text}
      onChange={(event) => change(event.target.value)}
    />
  )
}

interface Reading {
  value: Json | undefined
}

/** Null where the text is no JSON: `null` itself is some. */
function readTyped(text: string): Reading | null {
  try {
    return { value: text.trim() === '' ? undefined : parse(text) }
  } catch {
    return null
  }
}

const NO_JSON = 'Not valid JSON'

/** What no control fits is written as JSON. What is none is marked, not taken over, and reported as unread. */
export function JsonValue({ ids, value, onChange }: Pick<Props, 'ids' | 'value' | 'onChange'>) {
  const said = useId()
  const [draft, setDraft] = useState<{ text: string; of: Json | undefined } | null>(null)
  const isOurs = draft !== null && same(draft.of, value)
  const text = isOurs ? draft.text : value === undefined ? '' : write(value, 2)
  const wrong = isOurs && readTyped(draft.text) === null
  useReport(wrong ? NO_JSON : null)
  const change = (typed: string) => {
    const reading = readTyped(typed)
    setDraft({ text: typed, of: reading === null ? value : reading.value })
    if (reading !== null) onChange(reading.value)
  }
  return (
    <>
      <Textarea
        {...ids}
        spellCheck={false}
        className="font-mono"
        placeholder="JSON"
        aria-invalid={wrong || ids['aria-invalid']}
        aria-describedby={wrong ? said : ids['aria-describedby']}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
      {wrong ? (
        <p id={said} className="text-danger">
          {NO_JSON}
        </p>
      ) : null}
    </>
  )
}
