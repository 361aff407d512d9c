import { LogIn } from 'lucide-react'
import type { Kind } from './kind'

export const input: Kind = {
  label: 'Input',
  icon: LogIn,
  meaning: 'The input of the workflow.',
  colours: 'bg-sunken text-muted',
  defaults: { schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
  fields: ['schema'],
  schemaField: 'schema',
  subtitle: () => 'workflow input',
}
