import { useState } from 'react'
import { CodeEditor } from '@/components/code'
import { readText } from '@/components/schema/text'
import { useReport } from '@/components/unread'
import { type Json, same } from '@/lib/lossless'
import { writeYaml } from '@/lib/yaml-text'

interface Props {
  label: string
  value: Json
  onChange: (value: Json) => void
  error?: string
}

/** Edits a value as YAML. Invalid text stays in the editor and does not change the value. */
export function ValueEditor({ label, value, onChange, error }: Props) {
  const [typed, setTyped] = useState(() => writeYaml(value))
  const { value: read, mistake } = readText(typed, 'yaml')
  useReport(mistake?.message ?? null)
  // The value was changed elsewhere, for example by undo: show the new one.
  const [lastValue, setLastValue] = useState(value)
  if (!same(lastValue, value)) {
    setLastValue(value)
    if (read === null || !same(read, value)) setTyped(writeYaml(value))
  }
  const change = (text: string) => {
    setTyped(text)
    const next = readText(text, 'yaml').value
    if (next === null || same(next, value)) return
    setLastValue(next)
    onChange(next)
  }
  const message = mistake?.message ?? error
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium">{label}</p>
      <div className="h-44 resize-y overflow-hidden">
        <CodeEditor value={typed} onChange={change} language="yaml" label={label} findings={mistake === null ? [] : [mistake]} />
      </div>
      {message === undefined ? null : (
        <p role="alert" className="text-danger">
          {message}
        </p>
      )}
    </div>
  )
}
