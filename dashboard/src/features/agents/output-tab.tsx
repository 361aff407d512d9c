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
import { type ContractKind, USUAL_RETRIES, contractKind, freshBlueprint, withContractKind } from './model'

const KINDS = [
  { value: 'none', label: 'No contract' },
  { value: 'output_schema', label: 'Authoritative' },
  { value: 'default_output_schema', label: 'Suggestion' },
] as const

const MEANING: Record<ContractKind, string> = {
  none: 'Free text comes out, unless a caller brings a contract.',
  output_schema: 'Holds on every run, start and resume. A caller who sends another schema is refused.',
  default_output_schema: 'Holds on every run for which the caller brings no contract.',
}

const PROCEDURAL_MEANING = 'The JSON value that the command prints comes out as it is, unless a caller brings a contract.'

interface Props {
  view: SchemaView
  onView: (view: SchemaView) => void
}

/** What must come out. */
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
            <p className="text-muted">{kind === 'none' && isProcedural(blueprint) ? PROCEDURAL_MEANING : MEANING[kind]}</p>
          </div>
          {kind === 'none' ? null : <Enforced kind={kind} />}
          {kind === 'none' ? null : <Contract kind={kind} view={view} onView={onView} />}
        </CardBody>
      </Card>
      {kind === 'none' ? null : (
        <Card aria-labelledby="contract-options">
          <CardHeader title="How it is enforced" id="contract-options" />
          <CardBody>
            <Locked>
              <ContractOptions
                value={optionsOf(blueprint, kind)}
                usualRetries={USUAL_RETRIES[kind]}
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

/** That the contract holds, and how often a model may try. */
function Enforced({ kind }: { kind: 'output_schema' | 'default_output_schema' }) {
  const { blueprint, base, dirty } = useDraft()
  const name = blueprint.get('name')
  // As long as nothing is changed, the server knows best: its configuration may say otherwise than usual.
  const saved = useQuery({ ...contractQuery(typeof name === 'string' ? name : ''), enabled: base !== null && !dirty })
  const asked = at(blueprint, `${kind}_options`, 'max_retries')
  const usual = (dirty ? null : saved.data?.max_retries) ?? USUAL_RETRIES[kind]
  const retries = typeof asked === 'number' ? asked : usual
  const again =
    retries === 0
      ? 'An answer that does not conform fails the run at once.'
      : `An answer that does not conform goes back to the model with its errors, up to ${plural(retries, 'retry', 'retries')}; then the run fails and says why.`
  return (
    <p className="flex items-start gap-2 rounded-md bg-info-soft px-3 py-2 text-ink">
      <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-info" />
      <span>
        <strong>Enforced on every run.</strong>{' '}
        {isProcedural(blueprint) ? 'What the command prints must conform, or the run fails. A command is not asked again.' : again} Nothing else ever
        counts as a result.
      </span>
    </p>
  )
}

const SOURCES = [
  { value: 'own', label: 'Own schema' },
  { value: 'registry', label: 'From the registry' },
] as const

function Contract({ kind, view, onView }: Props & { kind: 'output_schema' | 'default_output_schema' }) {
  const { blueprint, set } = useDraft()
  const registered = useQuery(registeredQuery())
  const schema = blueprint.get(kind) ?? null
  const named = typeof schema === 'string'
  const fresh = freshBlueprint().get('output_schema')
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Locked>
          <Segmented
            label="Where the schema is"
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
      hint={names.length === 0 ? 'There are no registered schemas: accord schemas add NAME FILE' : undefined}
    >
      {(ids) => (
        <Select {...ids} value={name} onChange={(event) => set([kind], event.target.value)}>
          {names.includes(name) ? null : <option value={name}>{name === '' ? 'choose one' : `${name} (not registered)`}</option>}
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
