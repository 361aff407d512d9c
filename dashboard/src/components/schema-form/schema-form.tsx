import { Plus, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, Field } from '@/components/ui'
import { plain } from '@/lib/inert'
import { type Json, isList, isMap, withMember } from '@/lib/lossless'
import { pathParts } from '@/lib/paths'
import { controlFor, isNullable, resolved } from './controls'
import { JsonValue, Leaf, OrNull } from './leaf'
import { type FormError, errorsAtFields, errorAt, errorsWithin, extrasOf, initialValue, isClosed, isVisible, membersOf, newItem } from './model'

interface Props {
  schema: Json
  value: Json | undefined
  onChange: (value: Json | undefined) => void
  errors: readonly FormError[]
}

/** A form for a value of a schema. If the value is not an object, `label` is the label of its only control. */
export function SchemaForm({ schema, value, onChange, errors: reported, label = 'Parameters' }: Props & { label?: string }) {
  const errors = errorsAtFields(reported, schema, value)
  const unplaced = errors.filter((error) => !isVisible(pathParts(error.path), schema, value))
  const isObject = controlFor(resolved(schema, schema), value) === 'object'
  const own = isObject ? errorAt(errors, []) : undefined
  const whole = [own ?? [], unplaced.map((error) => `${error.path}: ${error.message}`)].flat().join('; ')
  return (
    <div className="flex flex-col gap-3">
      {whole ? (
        <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 break-words text-danger">
          {plain(whole)}
        </p>
      ) : null}
      <Part root={schema} schema={schema} value={value} onChange={onChange} errors={errors} path={[]} above={[]} label={label} required />
    </div>
  )
}

interface PartProps extends Props {
  root: Json
  path: readonly string[]
  /** The schemas of the enclosing objects. */
  above: readonly Json[]
  label: string
  required: boolean
}

function Part({ root, schema, value, onChange, errors, path, above, label, required }: PartProps) {
  const part = resolved(schema, root)
  const control = controlFor(part, value, path.length)
  const withNull = (shown: ReactNode) =>
    path.length === 0 || !isNullable(part) ? shown : <OrNull label={label} value={value} onChange={onChange}>{shown}</OrNull>
  const inner = { root, errors, path, above: [...above, part] }
  if (control === 'object' && isMap(part)) {
    const members = membersOf(part)
    if (isClosed(part, value, required, above)) {
      return withNull(<Closed label={label} required={required} onOpen={() => onChange(initialValue(part, root) ?? new Map())} />)
    }
    const map = isMap(value) ? value : new Map<string, Json>()
    const fields = members.map((member) => (
      <Part
        key={member.name}
        {...inner}
        schema={member.schema}
        path={[...path, member.name]}
        label={member.name}
        required={member.required}
        value={map.get(member.name)}
        onChange={(next) => onChange(withMember(map, member.name, next))}
      />
    ))
    const extras = extrasOf(part, map).map(([name, extra]) => (
      <Extra key={name} name={name} value={extra} error={errorsWithin(errors, [...path, name])} onChange={(next) => onChange(withMember(map, name, next))} />
    ))
    if (path.length === 0) return fields.length + extras.length === 0 ? <p className="text-muted">No input.</p> : [...fields, ...extras]
    return withNull(
      <Group label={label} error={errorAt(errors, path)} onRemove={required ? undefined : () => onChange(undefined)}>
        {fields}
        {extras}
      </Group>,
    )
  }
  if (control === 'list' && isMap(part)) {
    return withNull(<Items {...inner} above={above} schema={part} value={value} onChange={onChange} label={label} required={required} />)
  }
  const error = control === 'json' ? errorsWithin(errors, path) : errorAt(errors, path)
  const hint = isMap(part) ? part.get('description') : undefined
  return (
    <Field
      label={
        <>
          <span className="font-mono">{plain(label)}</span> {required ? null : <span className="font-normal text-muted">optional</span>}
        </>
      }
      hint={typeof hint === 'string' ? plain(hint) : undefined}
      error={error}
    >
      {(ids) => {
        const leaf = <Leaf ids={ids} control={control} schema={part} value={value} onChange={onChange} />
        return control === 'text' || control === 'number' ? withNull(leaf) : leaf
      }}
    </Field>
  )
}

interface ExtraProps {
  name: string
  value: Json
  error: string | undefined
  onChange: (value: Json | undefined) => void
}

/** A property that the schema does not declare, with a button to remove it. */
function Extra({ name, value, error, onChange }: ExtraProps) {
  return (
    <div className="flex items-start gap-2">
      <Field
        className="flex-1"
        label={
          <>
            <span className="font-mono">{plain(name)}</span> <span className="font-normal text-muted">not in the schema</span>
          </>
        }
        error={error}
      >
        {(ids) => <JsonValue ids={ids} value={value} onChange={onChange} />}
      </Field>
      <Button variant="ghost" size="icon" aria-label={`Remove ${plain(name)}`} onClick={() => onChange(undefined)}>
        <Trash2 aria-hidden />
      </Button>
    </div>
  )
}

function Items({ root, schema, value, onChange, errors, path, above, label, required }: PartProps) {
  const items = isList(value) ? value : []
  const item = isMap(schema) ? (schema.get('items') ?? true) : true
  const write = (next: Json[]) => onChange(next.length === 0 && !required ? undefined : next)
  return (
    <Group label={label} error={errorAt(errors, path)}>
      {items.map((each, index) => (
        <div key={index} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <Part
              root={root}
              schema={item}
              errors={errors}
              above={above}
              path={[...path, String(index)]}
              label={`${label} ${index + 1}`}
              required
              value={each}
              onChange={(next) => write(items.map((other, at) => (at === index ? (next ?? newItem(item, root)) : other)))}
            />
          </div>
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove ${label} ${index + 1}`}
            onClick={() => write(items.filter((_, at) => at !== index))}
          >
            <Trash2 aria-hidden />
          </Button>
        </div>
      ))}
      <Button size="small" className="self-start" onClick={() => write([...items, newItem(item, root)])}>
        <Plus aria-hidden /> Add to {label}
      </Button>
    </Group>
  )
}

interface GroupProps {
  label: string
  error: string | undefined
  onRemove?: () => void
  children: ReactNode
}

function Group({ label, error, onRemove, children }: GroupProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-md border px-3 pt-1 pb-3">
      <legend className="px-1 font-mono font-medium">{plain(label)}</legend>
      {error ? <p className="break-words text-danger">{error}</p> : null}
      {children}
      {onRemove ? (
        <Button size="small" className="self-start" onClick={onRemove}>
          Remove {label}
        </Button>
      ) : null}
    </fieldset>
  )
}

function Closed({ label, required, onOpen }: { label: string; required: boolean; onOpen: () => void }) {
  return (
    <Button size="small" className="self-start" onClick={onOpen}>
      <Plus aria-hidden /> <span className="font-mono">{plain(label)}</span>{' '}
      {required ? null : <span className="font-normal text-muted">optional</span>}
    </Button>
  )
}
