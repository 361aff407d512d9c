import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '@/api'
import { CodeEditor } from '@/components/code'
import { Button, Checkbox, Dialog } from '@/components/ui'
import type { Json } from '@/lib/lossless'
import { inferSchema } from './api'
import { readExamples } from './examples'

interface Props {
  open: boolean
  onClose: () => void
  onUse: (schema: Json) => void
}

/** Infers a schema from examples. */
export function InferDialog({ open, onClose, onUse }: Props) {
  const [text, setText] = useState('')
  const [closed, setClosed] = useState(true)
  const infer = useMutation({
    mutationFn: async () => inferSchema(readExamples(text), closed),
    onSuccess: (schema) => {
      onUse(schema)
      onClose()
    },
  })
  return (
    <Dialog open={open} onClose={onClose} title="Infer from example" className="w-[min(48rem,calc(100vw-2rem))]">
      <div className="flex flex-col gap-3">
        <p className="text-muted">
          Paste a JSON example, or several, one per line. The inferred schema replaces the current one. Review it: examples show
          what occurred, not everything that is allowed.
        </p>
        <div className="h-64">
          <CodeEditor value={text} onChange={setText} language="json" label="Example" />
        </div>
        <Checkbox
          label="Disallow extra fields"
          checked={closed}
          onChange={(event) => setClosed(event.target.checked)}
        />
        {infer.error ? (
          <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 break-words text-danger">
            {messageOf(infer.error)}
          </p>
        ) : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={text.trim() === '' || infer.isPending} onClick={() => infer.mutate()}>
            Infer schema
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
