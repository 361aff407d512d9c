import { useId, useState } from 'react'
import { NumberInput } from '@/components/typed-inputs'
import { Input, Select, Textarea } from '@/components/ui'
import { useReport } from '@/components/unread'
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

const NO_JSON = 'This is not JSON yet'

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
