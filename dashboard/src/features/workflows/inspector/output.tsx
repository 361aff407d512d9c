/** The output of a node: its own schema, that of its agent, or free text. */
import { Link } from '@tanstack/react-router'
import { Braces } from 'lucide-react'
import { SchemaEditor } from '@/components/schema'
import { Badge, Button } from '@/components/ui'
import { plural } from '@/lib/format'
import { chipFault, ownOutput } from '../chip'
import { useDraft } from '../draft'
import { ComparisonSettings } from './comparison'
import { useNode } from './node'
import { Section } from './section'

export function StructuredOutput({ onChip }: { onChip: () => void }) {
  const { node, part, set, problem } = useNode()
  const { contracts } = useDraft()
  const schema = part('output_schema')
  const own = ownOutput(node, contracts)
  const fault = chipFault(node, contracts)
  if (schema === undefined) {
    return (
      <Section title="Structured Output">
        {own === undefined ? (
          <p className="text-muted">{fault ?? 'Free text.'}</p>
        ) : (
          <p className="text-muted">
            The agent's own schema, with {plural(own.fields, 'field')}
            {own.replaceable ? '. A schema added here replaces it. ' : '. It applies here too. '}
            <Link to="/agents/$name" params={{ name: node.worker?.name ?? '' }} search={{ tab: 'output' }} className="text-accent underline">
              View schema
            </Link>
          </p>
        )}
        {fault === null ? (
          <Button className="self-start" onClick={onChip}>
            <Braces aria-hidden /> Add Structured Output
          </Button>
        ) : null}
      </Section>
    )
  }
  return (
    <>
      <Section
        title="Structured Output"
        actions={
          <span className="flex items-center gap-1">
            <Badge tone="info">
              <Braces aria-hidden /> {typeof schema === 'string' ? schema : plural(node.fields ?? 0, 'field')}
            </Badge>
            <Button variant="ghost" size="small" aria-label="Remove Structured Output" title="Remove it" onClick={() => set(['output_schema'], undefined)}>
              Remove
            </Button>
          </span>
        }
      >
        {problem('output_schema') === undefined ? null : (
          <p role="alert" className="text-danger">
            {problem('output_schema')}
          </p>
        )}
        {typeof schema === 'string' ? (
          <p className="text-muted">Uses the registered schema of this name.</p>
        ) : (
          <SchemaEditor name={node.id} value={schema} onChange={(next) => set(['output_schema'], next)} preview={false} />
        )}
      </Section>
      {typeof schema === 'string' ? null : (
        <ComparisonSettings key={node.id} schema={schema} onChange={(next) => set(['output_schema'], next)} />
      )}
    </>
  )
}
