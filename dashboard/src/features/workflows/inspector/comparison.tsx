/** Settings for comparing lists in the outputs of agents, and a note about the comparison. */
import { Scale } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { KINDS } from '@/components/graph/kinds'
import { Field, Input } from '@/components/ui'
import { type Json, type JsonMap, at, isList, isMap, withMember } from '@/lib/lossless'
import { useDraft } from '../draft'
import { useNode } from './node'
import { Section } from './section'

/** Explains that the outputs of several upstream agents are compared before the node runs. */
export function ComparisonNote() {
  const { node } = useNode()
  const { graph } = useDraft()
  const upstream = graph.edges
    .filter((edge) => edge.to === node.id)
    .map((edge) => graph.nodes.find((each) => each.id === edge.from))
    .flatMap((each) => (each && KINDS[each.kind].hasAgents ? [each.id] : []))
  if (upstream.length < 2) return null
  return (
    <p className="mx-4 mb-3 flex items-start gap-2 rounded-md bg-info-soft px-3 py-2">
      <Scale aria-hidden className="mt-0.5 size-4 shrink-0 text-info" />
      <span>
        Before it runs, the structured outputs of {upstream.slice(0, -1).join(', ')} and {upstream.at(-1)} are compared. It gets{' '}
        <code>contradictions</code>, <code>near_duplicates</code> and <code>agreements</code>.
      </span>
    </p>
  )
}

/** The names of the properties of a schema that are lists of objects. */
export function listsOf(schema: Json): string[] {
  const properties = at(schema, 'properties')
  if (!isMap(properties)) return []
  return [...properties].filter(([, part]) => at(part, 'type') === 'array' && at(part, 'items', 'type') === 'object').map(([name]) => name)
}

const SETTINGS = [
  { key: 'x-key', label: 'Match by', defaultNames: 'file, line' },
  { key: 'x-conflict', label: 'Conflict in', defaultNames: 'severity' },
  { key: 'x-text', label: 'Text', defaultNames: 'description, message, …' },
] as const

interface Props {
  schema: Json
  onChange: (schema: Json) => void
}

export function ComparisonSettings({ schema, onChange }: Props) {
  const lists = listsOf(schema)
  if (lists.length === 0 || !isMap(schema)) return null
  const properties = schema.get('properties')
  if (!isMap(properties)) return null
  return (
    <Section title="Comparison with other agents">
      {lists.map((list) => {
        const part = properties.get(list) as JsonMap
        return (
          <fieldset key={list} className="flex flex-col gap-2 rounded-md border px-3 pt-1 pb-3">
            <legend className="px-1 font-mono font-medium">{list}</legend>
            {SETTINGS.map(({ key, label, defaultNames }) => (
              <Field key={key} label={label}>
                {(ids) => (
                  <NamesInput
                    {...ids}
                    placeholder={defaultNames}
                    names={part.get(key) ?? at(part, 'items', key)}
                    onNames={(names) => {
                      const changed = withMember(part, key, names)
                      onChange(withMember(schema, 'properties', withMember(properties, list, changed)))
                    }}
                  />
                )}
              </Field>
            ))}
          </fieldset>
        )
      })}
      <p className="text-muted">Field names, separated by commas. Empty: the default in grey.</p>
    </Section>
  )
}

interface NamesProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  names: Json | undefined
  onNames: (names: Json | undefined) => void
}

/** An input for comma-separated names. */
function NamesInput({ names, onNames, ...rest }: NamesProps) {
  const [typed, setTyped] = useState('')
  const current = namesIn(names)
  return (
    <Input
      {...rest}
      value={namesIn(valueOf(typed)) === current ? typed : current}
      onChange={(event) => {
        setTyped(event.target.value)
        onNames(valueOf(event.target.value))
      }}
    />
  )
}

function namesIn(value: Json | undefined): string {
  if (isList(value)) return value.filter((name) => typeof name === 'string').join(', ')
  return typeof value === 'string' ? value : ''
}

function valueOf(typed: string): Json | undefined {
  const names = typed.split(',').map((name) => name.trim()).filter((name) => name !== '')
  return names.length === 0 ? undefined : names.length === 1 ? names[0] : names
}
