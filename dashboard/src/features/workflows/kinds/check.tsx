import { Segmented } from '@/components/segmented'
import { OnFailure } from '../inspector/failure'
import { TextPart } from '../inspector/fields'
import { useNode } from '../inspector/node'
import { Section } from '../inspector/section'
import { Names } from '../inspector/work'

const SEVERITIES = [
  { value: 'fail', label: 'Fail the run' },
  { value: 'warn', label: 'Warn only' },
] as const

export function CheckForm() {
  const { part, set } = useNode()
  return (
    <Section title="Condition">
      <TextPart path={['assert']} label="Condition" code keepEmpty placeholder="review.findings.size() > 0" hint="A CEL expression over the upstream outputs." />
      <TextPart path={['message']} label="Message" keepEmpty hint="Shown when the condition is false." />
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
