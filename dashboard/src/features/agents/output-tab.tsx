import { useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { contractQuery } from '@/api/queries'
import { Locked } from '@/components/read-only'
import { ContractOptions, SchemaEditor, type SchemaView, registeredQuery } from '@/components/schema'
import { Segmented } from '@/components/segmented'
import { Card, CardBody, CardHeader, Field, Select } from '@/components/ui'
import { plural } from '@/lib/format'
import { type JsonMap, at, isMap } from '@/lib/lossless'
import { useDraft } from './draft'
import { type ContractKind, DEFAULT_RETRIES, contractKind, newBlueprint, withContractKind } from './model'

const KINDS = [
  { value: 'none', label: 'No contract' },
  { value: 'output_schema', label: 'Always applies' },
  { value: 'default_output_schema', label: 'Default' },
] as const

const KIND_HINTS: Record<ContractKind, string> = {
  none: 'The output is free text, unless the caller sends a contract.',
  output_schema: 'Applies to every run. Requests with another schema are rejected.',
  default_output_schema: 'Applies unless the caller sends another contract.',
}

const PROCEDURAL_HINT = 'The output is the JSON that the command prints, unless the caller sends a contract.'

interface Props {
  view: SchemaView
  onView: (view: SchemaView) => void
}

export function OutputTab({ view, onView }: Props) {
  const { blueprint, replace, set } = useDraft()
  const kind = contractKind(blueprint)
  return (
    <div className="flex flex-col gap-4">
      <Card>
        <CardBody className="flex flex-col gap-4">
          <div className="flex flex-wrap items-center gap-3">
            <Locked>
              <Segmented
                label="Contract"
                options={KINDS}
                value={kind}
                onChange={(next) => replace(withContractKind(blueprint, next))}
              />
            </Locked>
            <p className="text-muted">{kind === 'none' && isProcedural(blueprint) ? PROCEDURAL_HINT : KIND_HINTS[kind]}</p>
          </div>
          {kind === 'none' ? null : <Enforced kind={kind} />}
          {kind === 'none' ? null : <Contract kind={kind} view={view} onView={onView} />}
        </CardBody>
      </Card>
      {kind === 'none' ? null : (
        <Card aria-labelledby="contract-options">
          <CardHeader title="Enforcement" id="contract-options" />
          <CardBody>
            <Locked>
              <ContractOptions
                value={optionsOf(blueprint, kind)}
                defaultRetries={DEFAULT_RETRIES[kind]}
                onChange={(options) => set([`${kind}_options`], options.size === 0 ? undefined : options)}
              />
            </Locked>
          </CardBody>
        </Card>
      )}
    </div>
  )
}

function optionsOf(blueprint: JsonMap, kind: ContractKind): JsonMap {
  const options = blueprint.get(`${kind}_options`)
  return isMap(options) ? options : new Map()
}

function isProcedural(blueprint: JsonMap): boolean {
  return at(blueprint, 'executor', 'type') === 'process'
}

/** Explains that the contract is enforced, and the number of retries. */
function Enforced({ kind }: { kind: 'output_schema' | 'default_output_schema' }) {
  const { blueprint, base, dirty } = useDraft()
  const name = blueprint.get('name')
  // Without unsaved changes, use the server's value, because its configuration may change the default.
  const saved = useQuery({ ...contractQuery(typeof name === 'string' ? name : ''), enabled: base !== null && !dirty })
  const configured = at(blueprint, `${kind}_options`, 'max_retries')
  const defaultRetries = (dirty ? null : saved.data?.max_retries) ?? DEFAULT_RETRIES[kind]
  const retries = typeof configured === 'number' ? configured : defaultRetries
  const consequence =
    retries === 0
      ? 'An answer that does not match fails the run.'
      : `An answer that does not match goes back to the model with its errors, up to ${plural(retries, 'retry', 'retries')}. Then the run fails.`
  return (
    <p className="flex items-start gap-2 rounded-md bg-info-soft px-3 py-2 text-ink">
      <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-info" />
      <span>
        <strong>Enforced on every run.</strong>{' '}
        {isProcedural(blueprint) ? 'The command must print matching JSON, or the run fails. Commands are not retried.' : consequence}
      </span>
    </p>
  )
}

const SOURCES = [
  { value: 'own', label: 'Inline' },
  { value: 'registry', label: 'Registered' },
] as const

function Contract({ kind, view, onView }: Props & { kind: 'output_schema' | 'default_output_schema' }) {
  const { blueprint, set } = useDraft()
  const registered = useQuery(registeredQuery())
  const schema = blueprint.get(kind) ?? null
  const named = typeof schema === 'string'
  const fresh = newBlueprint().get('output_schema')
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Locked>
          <Segmented
            label="Schema source"
            options={SOURCES}
            value={named ? 'registry' : 'own'}
            onChange={(source) => set([kind], source === 'own' ? fresh : (registered.data?.[0]?.name ?? ''))}
          />
          {named ? <Registered kind={kind} name={schema} /> : null}
        </Locked>
      </div>
      {named || schema === null ? null : (
        <SchemaEditor
          name="the output"
          value={schema}
          onChange={(next) => set([kind], next)}
          view={view}
          onView={onView}
        />
      )}
    </>
  )
}

function Registered({ kind, name }: { kind: string; name: string }) {
  const { set, problem } = useDraft()
  const registered = useQuery(registeredQuery())
  const names = (registered.data ?? []).map((schema) => schema.name)
  return (
    <Field
      label={<span className="sr-only">Registered schema</span>}
      error={problem(kind)}
      hint={names.length === 0 ? 'No registered schemas. Add one: accord schemas add NAME FILE' : undefined}
    >
      {(ids) => (
        <Select {...ids} value={name} onChange={(event) => set([kind], event.target.value)}>
          {names.includes(name) ? null : <option value={name}>{name === '' ? 'Choose one' : `${name} (not registered)`}</option>}
          {names.map((known) => (
            <option key={known} value={known}>
              {known}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
