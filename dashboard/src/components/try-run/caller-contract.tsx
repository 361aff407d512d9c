import { useQuery } from '@tanstack/react-query'
import { ContractOptions, SchemaEditor, registeredQuery } from '@/components/schema'
import { Segmented } from '@/components/segmented'
import { Card, CardBody, CardHeader, Field, Select } from '@/components/ui'
import { plain } from '@/lib/inert'
import { fromPlain } from '@/lib/lossless'
import type { Terms } from './api'
import type { CallerContract } from './model'

const KINDS = [
  { value: 'none', label: "The agent's" },
  { value: 'inline', label: 'Inline' },
  { value: 'registry', label: 'Registered' },
] as const

const NEW_SCHEMA = fromPlain({
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
})

/** The server's default number of retries for a caller's contract. */
const DEFAULT_RETRIES = 2

interface Props {
  terms: Terms
  value: CallerContract
  onChange: (contract: CallerContract) => void
}

/** Chooses the output contract of this run, if the agent allows it. */
export function CallerContractCard({ terms, value, onChange }: Props) {
  const choose = (kind: CallerContract['kind']) => {
    if (kind === 'none') onChange({ kind })
    else if (kind === 'inline') onChange({ kind, schema: terms.output ?? NEW_SCHEMA, options: new Map() })
    else onChange({ kind, name: '', options: new Map() })
  }
  if (!terms.open) {
    return (
      <Card>
        <CardBody className="text-muted">
          The agent's output contract applies to this run and cannot be replaced.
        </CardBody>
      </Card>
    )
  }
  return (
    <Card aria-labelledby="caller-contract">
      <CardHeader
        title="Output contract"
        id="caller-contract"
        actions={<Segmented label="Contract" options={KINDS} value={value.kind} onChange={choose} />}
      />
      <CardBody className="flex flex-col gap-4">
        {value.kind === 'none' ? (
          <p className="text-muted">
            {terms.output === null ? 'The agent has no output contract: its output is free text.' : "The agent's default contract applies."}
          </p>
        ) : null}
        {value.kind === 'inline' ? (
          <SchemaEditor
            name="the output"
            preview={false}
            value={value.schema}
            onChange={(schema) => onChange({ ...value, schema })}
          />
        ) : null}
        {value.kind === 'registry' ? <Registered value={value} onChange={onChange} /> : null}
        {value.kind === 'none' ? null : (
          <details>
            <summary className="w-fit font-medium">Options</summary>
            <div className="pt-3">
              <ContractOptions
                value={value.options}
                defaultRetries={DEFAULT_RETRIES}
                onChange={(options) => onChange({ ...value, options })}
              />
            </div>
          </details>
        )}
      </CardBody>
    </Card>
  )
}

function Registered({ value, onChange }: { value: Extract<CallerContract, { kind: 'registry' }>; onChange: (contract: CallerContract) => void }) {
  const registered = useQuery(registeredQuery())
  const schemas = registered.data ?? []
  const chosen = schemas.find((schema) => schema.name === value.name)
  return (
    <Field
      label="Schema"
      hint={schemas.length === 0 ? 'None yet. Add one: accord schemas add NAME FILE' : plain(chosen?.description ?? '')}
    >
      {(ids) => (
        <Select {...ids} value={value.name} onChange={(event) => onChange({ ...value, name: event.target.value })}>
          <option value="">Choose a schema</option>
          {schemas.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
