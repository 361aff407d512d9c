import { OnFailure } from '../inspector/failure'
import { StructuredOutput } from '../inspector/output'
import { Section } from '../inspector/section'
import { PromptOrParameters, Worker } from '../inspector/work'

export function AgentForm({ onChip }: { onChip: () => void }) {
  return (
    <>
      <Section title="Agent">
        <Worker />
        <PromptOrParameters />
        <OnFailure />
      </Section>
      <StructuredOutput onChip={onChip} />
    </>
  )
}
