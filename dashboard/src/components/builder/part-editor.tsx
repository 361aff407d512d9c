import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { Button, Input, Select } from '@/components/ui'
import { cn } from '@/lib/cn'
import { isMap } from '@/lib/lossless'
import { Choices, ConstraintsEditor, constraintSummary } from './constraints-editor'
import { withFields, withKeyword, withType } from './edit'
import { FieldList } from './field-list'
import { Kept, Unshown } from './kept'
import { FIELD_TYPES, type FieldType, type Part, typeOf } from './model'

export interface PartProps {
  part: Part
  onChange: (part: Part) => void
  /** The name of the part, for labels. */
  name: string
  /** Problems with field names, by the field's id. */
  problems: ReadonlyMap<string, string>
}

interface Props extends PartProps {
  /** Before the type. */
  before?: ReactNode
  /** After the type. */
  beside?: ReactNode
  /** At the end of the line. */
  after?: ReactNode
}

/** Edits one schema: its type, description and constraints, with its fields or items below. */
export function PartEditor({ part, onChange, name, problems, before, beside, after }: Props) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const type = typeOf(part.keywords)
  const summary = constraintSummary(part)
  return (
    <div className="@container flex min-w-0 flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-2">
        {before}
        <TypeSelect part={part} name={name} onChange={onChange} />
        {beside}
        <Description
          part={part}
          name={name}
          onChange={onChange}
          className="order-last basis-full @2xl:order-none @2xl:flex-1 @2xl:basis-40"
        />
        <div className="ml-auto flex items-center">
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Constraints of ${name}`}
            title="Constraints"
            aria-expanded={open}
            aria-controls={id}
            disabled={type === 'other' || type === 'enum'}
            className={cn(open && 'bg-accent-soft text-accent')}
            onClick={() => setOpen(!open)}
          >
            <SlidersHorizontal aria-hidden />
          </Button>
          {after}
        </div>
      </div>
      {type === 'enum' ? <Choices part={part} name={name} onChange={onChange} /> : null}
      <div id={id} className={cn('min-w-0', open ? 'rounded-md bg-sunken px-3 py-2' : 'contents')}>
        {open ? <ConstraintsEditor part={part} onChange={onChange} /> : null}
        {!open && summary !== '' ? <p className="px-1 break-words text-muted">{summary}</p> : null}
      </div>
      {type === 'other' ? <Unshown schema={part.keywords} /> : <Kept part={part} />}
      <Inside part={part} onChange={onChange} name={name} problems={problems} />
    </div>
  )
}

/** The fields of an object, or the item schema of a list. */
export function Inside({ part, onChange, name, problems }: PartProps) {
  return (
    <>
      {part.fields === null ? null : (
        <div className="ml-2 border-l-2 border-line-strong pl-3">
          <FieldList
            label={`Fields of ${name}`}
            fields={part.fields}
            problems={problems}
            onChange={(fields) => onChange(withFields(part, fields))}
          />
        </div>
      )}
      {part.items === null ? null : (
        <div className="ml-2 border-l-2 border-line-strong pl-3">
          <PartEditor
            part={part.items}
            name={`each item of ${name}`}
            problems={problems}
            onChange={(items) => onChange({ ...part, items })}
            before={<span className="text-muted">Each item is</span>}
          />
        </div>
      )}
    </>
  )
}

function TypeSelect({ part, name, onChange }: Omit<PartProps, 'problems'>) {
  const type = typeOf(part.keywords)
  return (
    <Select
      aria-label={`Type of ${name}`}
      className="w-[7.5rem]"
      value={type}
      onChange={(event) => onChange(withType(part, event.target.value as FieldType))}
    >
      {type === 'other' ? <option value="other">(kept)</option> : null}
      {FIELD_TYPES.map((known) => (
        <option key={known} value={known}>
          {known}
        </option>
      ))}
    </Select>
  )
}

export function Description({ part, name, onChange, className }: Omit<PartProps, 'problems'> & { className?: string }) {
  const value = isMap(part.keywords) ? part.keywords.get('description') : undefined
  const absent = value === undefined
  return (
    <Input
      aria-label={`Description of ${name}`}
      placeholder="Description"
      className={className}
      disabled={!isMap(part.keywords) || (!absent && typeof value !== 'string')}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onChange(withKeyword(part, 'description', event.target.value === '' ? undefined : event.target.value))}
    />
  )
}
