import { useId } from 'react'
import { LinesInput, NumberInput } from '@/components/typed-inputs'
import { Checkbox, Field, Input } from '@/components/ui'
import { type Json, isMap, write } from '@/lib/lossless'
import { CONSTRAINTS, type Constraint, FORMATS } from './constraints'
import { isEmptyEnum, withKeyword, withNullable } from './edit'
import { type Part, enumValues, isNullable, typeOf } from './model'

interface Props {
  part: Part
  onChange: (part: Part) => void
  /** Whether this is the root value. "May be null" is offered for it only if the schema already allows null. */
  isRoot?: boolean
}

/** The constraints of a value besides its type. */
export function ConstraintsEditor({ part, onChange, isRoot = false }: Props) {
  const type = typeOf(part.keywords)
  // The values of an enum have their own editor, which is always visible.
  if (type === 'other' || type === 'enum') return null
  return (
    <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
      {CONSTRAINTS[type].map((constraint) => (
        <Control
          key={constraint.keyword}
          constraint={constraint}
          value={isMap(part.keywords) ? part.keywords.get(constraint.keyword) : undefined}
          onChange={(value) => onChange(withKeyword(part, constraint.keyword, value))}
        />
      ))}
      {isRoot && !isNullable(part.keywords) ? null : (
        <Checkbox
          label="May be null"
          className="h-8"
          checked={isNullable(part.keywords)}
          onChange={(event) => onChange(withNullable(part, event.target.checked))}
        />
      )}
    </div>
  )
}

export function Choices({ part, name, onChange }: Omit<Props, 'isRoot'> & { name: string }) {
  return (
    <Field label="Allowed values, one per line" className="max-w-md" error={isEmptyEnum(part) ? 'Enter at least one value' : undefined}>
      {(ids) => (
        <LinesInput
          {...ids}
          title={`Allowed values of ${name}`}
          className="font-mono"
          value={enumValues(part.keywords) ?? []}
          onChange={(values) => onChange(withKeyword(part, 'enum', values))}
        />
      )}
    </Field>
  )
}

interface ControlProps {
  constraint: Constraint
  value: Json | undefined
  onChange: (value: Json | undefined) => void
}

function Control({ constraint: { label, kind }, value, onChange }: ControlProps) {
  const list = useId()
  if (kind === 'flag' || kind === 'closed') {
    // A closed object has `additionalProperties: false`; the check mark means closed.
    const set = kind === 'flag'
    return (
      <Checkbox
        label={label}
        className="h-8"
        checked={value === set}
        onChange={(event) => onChange(event.target.checked ? set : undefined)}
      />
    )
  }
  if (kind === 'count' || kind === 'number') {
    return (
      <Field label={label} className="w-28">
        {(ids) => <NumberInput {...ids} counts={kind === 'count'} value={value} onChange={onChange} />}
      </Field>
    )
  }
  return (
    <Field label={label} className={kind === 'format' ? 'w-36' : 'min-w-40 flex-1'}>
      {(ids) => (
        <>
          <Input
            {...ids}
            className="font-mono"
            list={kind === 'format' ? list : undefined}
            value={typeof value === 'string' ? value : ''}
            onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
          />
          {kind === 'format' ? (
            <datalist id={list}>
              {FORMATS.map((format) => (
                <option key={format} value={format} />
              ))}
            </datalist>
          ) : null}
        </>
      )}
    </Field>
  )
}

/** A one-line summary of the constraints, shown while the controls are collapsed. */
export function constraintSummary(part: Part): string {
  const type = typeOf(part.keywords)
  if (type === 'other' || !isMap(part.keywords)) return ''
  const keywords = part.keywords
  const parts = CONSTRAINTS[type].flatMap(({ keyword, label, kind }) => {
    const value = keywords.get(keyword)
    if (value === undefined || (kind === 'closed') || (kind === 'flag' && value !== true)) return []
    return [kind === 'flag' ? label.toLowerCase() : `${label.toLowerCase()} ${write(value)}`]
  })
  return [...parts, ...(isNullable(part.keywords) ? ['may be null'] : [])].join(' · ')
}
