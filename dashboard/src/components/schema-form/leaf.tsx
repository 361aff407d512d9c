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

/** The control for a scalar or JSON value. An empty control means that the value is absent. */
export function Leaf(props: Props) {
  const { ids, control, schema, value, onChange } = props
  const placeholder = value === null ? 'null' : undefined
  switch (control) {
    case 'choice':
      return <Choice {...props} options={(isMap(schema) && choicesOf(schema)) || []} />
    case 'boolean':
      return <Choice {...props} options={isNullable(schema) ? [...BOOLEANS, NULL] : BOOLEANS} />
    case 'number':
      return <NumberInput {...ids} placeholder={placeholder} value={value} onChange={onChange} />
    case 'text':
      return <TextValue ids={ids} schema={schema} value={value} onChange={onChange} placeholder={placeholder} />
    default:
      return <JsonValue ids={ids} value={value} onChange={onChange} />
  }
}

const BOOLEANS: readonly Option[] = [
  { value: true, label: 'true' },
  { value: false, label: 'false' },
]
const NULL: Option = { value: null, label: 'null' }

interface OrNullProps extends Pick<Props, 'value' | 'onChange'> {
  label: string
  children: ReactNode
}

/** Adds a "null" checkbox to a control that cannot express null. */
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

/** Returns null if the text is not JSON. The JSON value null is `{ value: null }`. */
function readTyped(text: string): Reading | null {
  try {
    return { value: text.trim() === '' ? undefined : parse(text) }
  } catch {
    return null
  }
}

const INVALID_JSON = 'Not valid JSON'

/** A JSON text field, for values without a control. Invalid JSON is marked and reported, and does not change the value. */
export function JsonValue({ ids, value, onChange }: Pick<Props, 'ids' | 'value' | 'onChange'>) {
  const errorId = useId()
  const [draft, setDraft] = useState<{ text: string; of: Json | undefined } | null>(null)
  const isOurs = draft !== null && same(draft.of, value)
  const text = isOurs ? draft.text : value === undefined ? '' : write(value, 2)
  const invalid = isOurs && readTyped(draft.text) === null
  useReport(invalid ? INVALID_JSON : null)
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
        aria-invalid={invalid || ids['aria-invalid']}
        aria-describedby={invalid ? errorId : ids['aria-describedby']}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
      {invalid ? (
        <p id={errorId} className="text-danger">
          {INVALID_JSON}
        </p>
      ) : null}
    </>
  )
}
