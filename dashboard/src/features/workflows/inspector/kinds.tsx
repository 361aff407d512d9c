/** What is particular to each kind of node. */
import { useQuery } from '@tanstack/react-query'
import { agentsQuery } from '@/api/queries'
import { SchemaEditor } from '@/components/schema'
import { Segmented } from '@/components/segmented'
import { Checkbox } from '@/components/ui'
import { fromPlain, isList, isMap } from '@/lib/lossless'
import { FRESH_SCHEMA } from '../model'
import { CountPart, TextPart } from './fields'
import { OnFailure } from './failure'
import { useNode } from './node'
import { StructuredOutput } from './output'
import { Section } from './section'
import { ValueEditor } from './value-editor'
import { Names, Told, Worker } from './work'

export function AgentParts({ onChip }: { onChip: () => void }) {
  return (
    <>
      <Section title="Agent">
        <Worker />
        <Told />
        <OnFailure />
      </Section>
      <StructuredOutput onChip={onChip} />
    </>
  )
}

export function MapParts({ onChip }: { onChip: () => void }) {
  return (
    <>
      <Section title="For each item">
        <TextPart path={['over']} label="List" code kept oneLine placeholder="{{ input.files }}" hint="A template for a list of at most 1,000 items." />
        <CountPart path={['concurrency']} label="Concurrency" placeholder="8" />
        <Worker />
        <Told names={['item', 'index']} />
        <OnFailure />
      </Section>
      <StructuredOutput onChip={onChip} />
    </>
  )
}

const SEVERITIES = [
  { value: 'fail', label: 'Fail the run' },
  { value: 'warn', label: 'Warn only' },
] as const

export function CheckParts() {
  const { part, set } = useNode()
  return (
    <Section title="Condition">
      <TextPart path={['assert']} label="Condition" code kept placeholder="review.findings.size() > 0" hint="A CEL expression over the upstream outputs." />
      <TextPart path={['message']} label="Message" kept hint="Shown when the condition is false." />
      <Segmented
        label="If the condition is false"
        options={SEVERITIES}
        value={part('severity') === 'warn' ? 'warn' : 'fail'}
        onChange={(next) => set(['severity'], next === 'fail' ? undefined : next)}
      />
      <Names />
      <OnFailure />
    </Section>
  )
}

export function PlannerParts() {
  const { part, set, problem } = useNode()
  const agents = useQuery(agentsQuery()).data?.items ?? []
  const value = part('agents')
  const chosen = isList(value) ? value.filter((name): name is string => typeof name === 'string') : []
  const names = [...new Set([...agents.map(({ name }) => name), ...chosen])]
  const synthesis = isMap(part('synthesis'))
  return (
    <>
      <Section title="Plan">
        <Worker workflows={false} />
        <Told />
        <fieldset className="flex flex-col gap-1">
          <legend className="mb-1 font-medium">Agents the planner can use</legend>
          {names.map((name) => (
            <Checkbox
              key={name}
              label={name}
              checked={chosen.includes(name)}
              onChange={(event) => set(['agents'], event.target.checked ? [...chosen, name] : chosen.filter((other) => other !== name))}
            />
          ))}
          {problem('agents') === undefined ? null : <p className="text-danger">{problem('agents')}</p>}
        </fieldset>
        <CountPart path={['concurrency']} label="Concurrency" placeholder="8" />
        <OnFailure />
      </Section>
      <Section title="Synthesis">
        <Checkbox
          label="Combine the results with an agent"
          checked={synthesis}
          onChange={(event) => set(['synthesis'], event.target.checked ? fromPlain({ agent: '' }) : undefined)}
        />
        {synthesis ? (
          <>
            <Worker under={['synthesis']} />
            <Told under={['synthesis']} names={['plan', 'results']} />
          </>
        ) : (
          <p className="text-muted">Without one, the output is the plan and the results.</p>
        )}
      </Section>
    </>
  )
}

export function InputParts() {
  const { part, set, problem } = useNode()
  const schema = part('schema')
  return (
    <Section title="Input">
      {problem('schema') === undefined ? null : <p className="text-danger">{problem('schema')}</p>}
      <Checkbox
        label="Validate with a schema"
        checked={schema !== undefined}
        onChange={(event) => set(['schema'], event.target.checked ? FRESH_SCHEMA : undefined)}
      />
      {schema === undefined ? (
        <p className="text-muted">Any input is accepted.</p>
      ) : (
        <SchemaEditor name="the input" single value={schema} onChange={(next) => set(['schema'], next)} preview={false} />
      )}
    </Section>
  )
}

const VALUES = [
  { value: 'inputs', label: 'Inputs' },
  { value: 'template', label: 'Template' },
  { value: 'object', label: 'Object' },
] as const

export function OutputParts() {
  const { part, set, problem } = useNode()
  const value = part('value')
  const way = value === undefined ? 'inputs' : typeof value === 'string' ? 'template' : 'object'
  const choose = (next: (typeof VALUES)[number]['value']) =>
    set(['value'], next === 'inputs' ? undefined : next === 'template' ? '' : fromPlain({ result: '' }))
  return (
    <Section title="Output">
      <Segmented label="Output" options={VALUES} value={way} onChange={choose} />
      {way === 'inputs' ? <p className="text-muted">Passes upstream outputs unchanged.</p> : null}
      {way === 'template' ? <TextPart path={['value']} label="Value" code kept placeholder="{{ writer }}" /> : null}
      {way === 'object' && value !== undefined ? (
        <ValueEditor label="Value" value={value} onChange={(next) => set(['value'], next)} error={problem('value')} />
      ) : null}
      {way === 'inputs' ? null : <Names />}
    </Section>
  )
}
