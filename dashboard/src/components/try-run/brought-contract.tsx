import { useQuery } from '@tanstack/react-query'
import { ContractOptions, SchemaEditor, registeredQuery } from '@/components/schema'
import { Segmented } from '@/components/segmented'
import { Card, CardBody, CardHeader, Field, Select } from '@/components/ui'
import { plain } from '@/lib/inert'
import { fromPlain } from '@/lib/lossless'
import type { Terms } from './api'
import type { Brought } from './model'

const KINDS = [
  { value: 'none', label: "The agent's" },
  { value: 'inline', label: 'Inline' },
  { value: 'registry', label: 'Registered' },
] as const

const FRESH = fromPlain({
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
})

/** How often a caller's contract is retried where nobody says; the server's usual setting. */
const USUAL_RETRIES = 2

interface Props {
  terms: Terms
  value: Brought
  onChange: (brought: Brought) => void
}

/** The output contract of this one run, where the agent leaves that open. */
export function BroughtContract({ terms, value, onChange }: Props) {
  const choose = (kind: Brought['kind']) => {
    if (kind === 'none') onChange({ kind })
    else if (kind === 'inline') onChange({ kind, schema: terms.output ?? FRESH, options: new Map() })
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
    <Card aria-labelledby="brought">
      <CardHeader
        title="Output contract"
        id="brought"
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
                usualRetries={USUAL_RETRIES}
                onChange={(options) => onChange({ ...value, options })}
              />
            </div>
          </details>
        )}
      </CardBody>
    </Card>
  )
}

function Registered({ value, onChange }: { value: Extract<Brought, { kind: 'registry' }>; onChange: (brought: Brought) => void }) {
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
