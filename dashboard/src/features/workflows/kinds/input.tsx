import { SchemaEditor } from '@/components/schema'
import { Checkbox } from '@/components/ui'
import { NEW_SCHEMA } from '../model'
import { useNode } from '../inspector/node'
import { Section } from '../inspector/section'

export function InputForm() {
  const { part, set, problem } = useNode()
  const schema = part('schema')
  return (
    <Section title="Input">
      {problem('schema') === undefined ? null : <p className="text-danger">{problem('schema')}</p>}
      <Checkbox
        label="Validate with a schema"
        checked={schema !== undefined}
        onChange={(event) => set(['schema'], event.target.checked ? NEW_SCHEMA : undefined)}
      />
      {schema === undefined ? (
        <p className="text-muted">Any input is accepted.</p>
      ) : (
        <SchemaEditor name="the input" single value={schema} onChange={(next) => set(['schema'], next)} preview={false} />
      )}
    </Section>
  )
}
