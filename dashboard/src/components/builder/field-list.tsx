import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { SortableList } from '@/components/sortable'
import { Button, Checkbox, Input } from '@/components/ui'
import { movedField, withField, withNewField, withoutField } from './edit'
import type { Field } from './model'
import { PartEditor } from './part-editor'

interface Props {
  label: string
  fields: readonly Field[]
  problems: ReadonlyMap<string, string>
  onChange: (fields: readonly Field[]) => void
}

/** A list of fields that can be edited, added, removed and reordered. */
export function FieldList({ label, fields, problems, onChange }: Props) {
  const [added, setAdded] = useState<string | null>(null)
  const add = () => {
    const next = withNewField(fields)
    setAdded(next.added.id)
    onChange(next.fields)
  }
  return (
    <div className="flex flex-col gap-2">
      {fields.length === 0 ? <p className="text-muted">No fields yet.</p> : null}
      <SortableList
        items={fields}
        label={label}
        nameOf={(field) => field.name}
        onMove={(from, to) => onChange(movedField(fields, from, to))}
        className="flex flex-col gap-2 empty:hidden"
      >
        {(field, handle) => (
          <FieldRow
            field={field}
            handle={handle}
            focused={field.id === added}
            problems={problems}
            onChange={(changed) => onChange(withField(fields, changed))}
            onRemove={() => onChange(withoutField(fields, field.id))}
          />
        )}
      </SortableList>
      <Button size="small" className="self-start" onClick={add}>
        <Plus aria-hidden /> Add field
      </Button>
    </div>
  )
}

interface RowProps {
  field: Field
  handle: ReactNode
  focused: boolean
  problems: ReadonlyMap<string, string>
  onChange: (field: Field) => void
  onRemove: () => void
}

function FieldRow({ field, handle, focused, problems, onChange, onRemove }: RowProps) {
  const problem = problems.get(field.id)
  const name = field.name === '' ? 'the field without a name' : field.name
  const problemId = `${field.id}-problem`
  return (
    <div className="rounded-md border bg-surface p-2">
      <PartEditor
        part={field.part}
        name={name}
        problems={problems}
        onChange={(part) => onChange({ ...field, part })}
        before={
          <>
            {handle}
            <Input
              aria-label="Name"
              className="w-32 grow font-mono @2xl:w-40 @2xl:grow-0"
              value={field.name}
              aria-invalid={problem !== undefined}
              aria-describedby={problem === undefined ? undefined : problemId}
              autoFocus={focused}
              onFocus={(event) => focused && event.target.select()}
              onChange={(event) => onChange({ ...field, name: event.target.value })}
            />
          </>
        }
        beside={
          <Checkbox
            label="Required"
            checked={field.required}
            aria-label={`${name} is required`}
            onChange={(event) => onChange({ ...field, required: event.target.checked })}
          />
        }
        after={
          <Button variant="ghost" size="icon" aria-label={`Remove ${name}`} title="Remove" onClick={onRemove}>
            <Trash2 aria-hidden />
          </Button>
        }
      />
      {problem === undefined ? null : (
        <p id={problemId} role="alert" className="mt-1 pl-7 text-danger">
          {problem}
        </p>
      )}
    </div>
  )
}
