import { UserRound } from 'lucide-react'
import { type Kind, textAt } from './kind'

export const human: Kind = {
  label: 'Person',
  icon: UserRound,
  meaning: 'Asks a person, and waits for the answer.',
  colours: 'bg-warning-soft text-warning',
  defaults: {
    prompt: '',
    output_schema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'], additionalProperties: false },
  },
  fields: ['prompt', 'output_schema', 'input_seconds', 'on_failure'],
  detail: (node) => textAt(node, 'prompt'),
  subtitle: () => 'a person answers',
  schemaFault: () => null,
  hasAgents: true,
}
