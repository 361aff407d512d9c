import { Flag } from 'lucide-react'
import type { Kind } from './kind'

export const output: Kind = {
  label: 'Output',
  icon: Flag,
  meaning: 'The output of the workflow.',
  colours: 'bg-sunken text-muted',
  defaults: {},
  fields: ['value'],
  subtitle: () => 'workflow output',
}
