/** Edits a schema as JSON or YAML with inline findings. Loaded lazily by the schema editor. */
import { useMemo, useState } from 'react'
import { CodeEditor } from '@/components/code'
import { Segmented } from '@/components/segmented'
import { useReport } from '@/components/unread'
import { type Json, same, write } from '@/lib/lossless'
import { writeYaml } from '@/lib/yaml-text'
import type { SchemaReport } from './api'
import { findingsIn } from './findings'
import { type Notation, readText } from './text'

const NOTATIONS = [
  { value: 'json', label: 'JSON' },
  { value: 'yaml', label: 'YAML' },
] as const

const WRITERS: Record<Notation, (value: Json) => string> = { json: (value) => `${write(value, 2)}\n`, yaml: writeYaml }

export interface SchemaCodeProps {
  value: Json
  onChange: (value: Json) => void
  report: SchemaReport | undefined
  label: string
}

export function SchemaCode({ value, onChange, report, label }: SchemaCodeProps) {
  const [notation, setNotation] = useState<Notation>('json')
  const [text, setText] = useState(() => WRITERS.json(value))
  const reading = useMemo(() => readText(text, notation), [text, notation])
  const [lastValue, setLastValue] = useState(value)
  if (!same(lastValue, value)) {
    // The value was changed elsewhere, for example inferred from an example: show the new one.
    setLastValue(value)
    if (reading.value === null || !same(reading.value, value)) setText(WRITERS[notation](value))
  }
  useReport(reading.mistake?.message ?? null)

  const findings = useMemo(() => {
    if (reading.mistake !== null) return [reading.mistake]
    return report === undefined ? [] : findingsIn(text, report, reading.locate)
  }, [reading, report, text])

  const change = (typed: string) => {
    setText(typed)
    const { value: next } = readText(typed, notation)
    if (next === null || same(next, value)) return
    setLastValue(next)
    onChange(next)
  }
  const switchTo = (next: Notation) => {
    if (reading.value === null) return
    setNotation(next)
    setText(WRITERS[next](reading.value))
  }
  return (
    <div className="flex flex-col gap-2">
      <Segmented label="Notation" options={NOTATIONS} value={notation} onChange={switchTo} />
      <div className="h-[28rem] resize-y overflow-hidden">
        <CodeEditor key={notation} value={text} onChange={change} language={notation} label={label} findings={findings} />
      </div>
      {reading.mistake === null ? null : (
        <p role="alert" className="text-danger">
          {reading.mistake.message}
        </p>
      )}
    </div>
  )
}
