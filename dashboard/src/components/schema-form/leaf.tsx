import { useState } from 'react'
import { NumberInput } from '@/components/typed-inputs'
import { Input, Select, Textarea } from '@/components/ui'
import { type Json, isMap, parse, same, write } from '@/lib/lossless'
import { type Control, choicesOf } from './model'

interface Props {
  ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }
  control: Control
  schema: Json
  value: Json | undefined
  onChange: (value: Json | undefined) => void
  required: boolean
}

/** The control of one value. Empty means absent. */
export function Leaf(props: Props) {
  const { ids, control, schema, value, onChange, required } = props
  switch (control) {
    case 'choice':
      return <Choice {...props} options={(isMap(schema) && choicesOf(schema)) || []} />
    case 'boolean':
      return <Choice {...props} options={[true, false]} />
    case 'number':
      return <NumberInput {...ids} value={value} onChange={onChange} />
    case 'text':
      return <TextValue ids={ids} schema={schema} value={value} onChange={onChange} required={required} />
    default:
      return <JsonValue ids={ids} value={value} onChange={onChange} />
  }
}

function Choice({ ids, value, onChange, options }: Props & { options: readonly Json[] }) {
  return (
    <Select
      {...ids}
      value={value === undefined ? '' : write(value)}
      onChange={(event) => onChange(options.find((option) => write(option) === event.target.value))}
    >
      <option value=""> </option>
      {options.map((option) => (
        <option key={write(option)} value={write(option)}>
          {typeof option === 'string' ? option : write(option)}
        </option>
      ))}
    </Select>
  )
}

const SHORT_FORMATS = ['date', 'time', 'date-time', 'email', 'uuid', 'uri', 'hostname', 'ipv4', 'ipv6']
const ONE_LINE = 120

function TextValue({ ids, schema, value, onChange }: Omit<Props, 'control'>) {
  const format = isMap(schema) ? schema.get('format') : undefined
  const longest = isMap(schema) ? schema.get('maxLength') : undefined
  const short = SHORT_FORMATS.includes(String(format)) || (typeof longest === 'number' && longest <= ONE_LINE)
  const text = typeof value === 'string' ? value : ''
  const change = (next: string) => onChange(next === '' ? undefined : next)
  if (short) return <Input {...ids} value={text} onChange={(event) => change(event.target.value)} />
  return (
    <Textarea
      {...ids}
      rows={2}
      className="max-h-80 min-h-8 [field-sizing:content]"
      value={text}
      onChange={(event) => change(event.target.value)}
    />
  )
}

/** What no control fits is written as JSON. */
export function JsonValue({ ids, value, onChange }: Pick<Props, 'ids' | 'value' | 'onChange'>) {
  const [draft, setDraft] = useState<string | null>(null)
  const read = (text: string): Json | undefined | null => {
    try {
      return text.trim() === '' ? undefined : parse(text)
    } catch {
      return null
    }
  }
  const drafted = draft === null ? undefined : read(draft)
  const isOurs = draft !== null && (drafted === null || same(drafted, value))
  const text = isOurs ? draft : value === undefined ? '' : write(value, 2)
  const wrong = isOurs && drafted === null
  return (
    <>
      <Textarea
        {...ids}
        spellCheck={false}
        className="font-mono"
        placeholder="JSON"
        aria-invalid={wrong || ids['aria-invalid']}
        value={text}
        onChange={(event) => {
          setDraft(event.target.value)
          const next = read(event.target.value)
          if (next !== null || event.target.value.trim() === 'null') onChange(next)
        }}
      />
      {wrong ? <p className="text-danger">This is not JSON yet</p> : null}
    </>
  )
}
