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

/** A value as YAML. What cannot be read yet stays here and is not taken over. */
export function ValueEditor({ label, value, onChange, error }: Props) {
  const [typed, setTyped] = useState(() => writeYaml(value))
  const { value: read, mistake } = readText(typed, 'yaml')
  useReport(mistake?.message ?? null)
  // Changed elsewhere, by undoing or in the text: that is what is shown now.
  const [seen, setSeen] = useState(value)
  if (!same(seen, value)) {
    setSeen(value)
    if (read === null || !same(read, value)) setTyped(writeYaml(value))
  }
  const change = (text: string) => {
    setTyped(text)
    const next = readText(text, 'yaml').value
    if (next === null || same(next, value)) return
    setSeen(next)
    onChange(next)
  }
  const said = mistake?.message ?? error
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium">{label}</p>
      <div className="h-44 resize-y overflow-hidden">
        <CodeEditor value={typed} onChange={change} language="yaml" label={label} findings={mistake === null ? [] : [mistake]} />
      </div>
      {said === undefined ? null : (
        <p role="alert" className="text-danger">
          {said}
        </p>
      )}
    </div>
  )
}
