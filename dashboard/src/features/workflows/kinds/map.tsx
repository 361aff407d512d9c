import { OnFailure } from '../inspector/failure'
import { CountPart, TextPart } from '../inspector/fields'
import { StructuredOutput } from '../inspector/output'
import { Section } from '../inspector/section'
import { PromptOrParameters, Worker } from '../inspector/work'

export function MapForm({ onChip }: { onChip: () => void }) {
  return (
    <>
      <Section title="For each item">
        <TextPart path={['over']} label="List" code keepEmpty oneLine placeholder="{{ input.files }}" hint="A template for a list of at most 1,000 items." />
        <CountPart path={['concurrency']} label="Concurrency" placeholder="8" />
        <Worker />
        <PromptOrParameters names={['item', 'index']} />
        <OnFailure />
      </Section>
      <StructuredOutput onChip={onChip} />
    </>
  )
}
