import { OnFailure } from '../inspector/failure'
import { CountPart, TextPart } from '../inspector/fields'
import { StructuredOutput } from '../inspector/output'
import { Section } from '../inspector/section'
import { Names } from '../inspector/work'

export function HumanForm({ onChip }: { onChip: () => void }) {
  return (
    <>
      <Section title="Person">
        <TextPart
          path={['prompt']}
          label="Question"
          code
          placeholder="Is this correct? {{ writer.text }}"
          hint="What the person has to do. Without one, the upstream outputs are shown."
        />
        <Names />
        <CountPart path={['input_seconds']} label="Time to answer (s)" placeholder="86400" hint="Empty: one day." />
        <OnFailure />
      </Section>
      <StructuredOutput onChip={onChip} />
    </>
  )
}
