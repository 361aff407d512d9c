import { Segmented } from '@/components/segmented'
import { fromPlain } from '@/lib/lossless'
import { TextPart } from '../inspector/fields'
import { useNode } from '../inspector/node'
import { Section } from '../inspector/section'
import { ValueEditor } from '../inspector/value-editor'
import { Names } from '../inspector/work'

const VALUES = [
  { value: 'inputs', label: 'Inputs' },
  { value: 'template', label: 'Template' },
  { value: 'object', label: 'Object' },
] as const

export function OutputForm() {
  const { part, set, problem } = useNode()
  const value = part('value')
  const source = value === undefined ? 'inputs' : typeof value === 'string' ? 'template' : 'object'
  const choose = (next: (typeof VALUES)[number]['value']) =>
    set(['value'], next === 'inputs' ? undefined : next === 'template' ? '' : fromPlain({ result: '' }))
  return (
    <Section title="Output">
      <Segmented label="Output" options={VALUES} value={source} onChange={choose} />
      {source === 'inputs' ? <p className="text-muted">Passes upstream outputs unchanged.</p> : null}
      {source === 'template' ? <TextPart path={['value']} label="Value" code keepEmpty placeholder="{{ writer }}" /> : null}
      {source === 'object' && value !== undefined ? (
        <ValueEditor label="Value" value={value} onChange={(next) => set(['value'], next)} error={problem('value')} />
      ) : null}
      {source === 'inputs' ? null : <Names />}
    </Section>
  )
}
