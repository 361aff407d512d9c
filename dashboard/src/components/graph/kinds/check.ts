import { ShieldCheck } from 'lucide-react'
import { type Kind, textAt } from './kind'

export const check: Kind = {
  label: 'Check',
  icon: ShieldCheck,
  meaning: 'Checks a condition.',
  colours: 'bg-success-soft text-success',
  defaults: { assert: 'true', message: 'describe what is wrong' },
  fields: ['assert', 'message', 'severity', 'on_failure'],
  detail: (node) => textAt(node, 'assert'),
  subtitle: ({ detail }) => (detail === '' ? 'no condition yet' : detail),
}
