import { CircleHelp } from 'lucide-react'
import { type Kind, textAt } from './kind'

export const unknown: Kind = {
  label: 'Unknown',
  icon: CircleHelp,
  meaning: 'A node type that this version does not know.',
  colours: 'bg-danger-soft text-danger',
  defaults: {},
  fields: [],
  detail: (node) => textAt(node, 'type'),
  subtitle: ({ detail }) => (detail === '' ? 'no type' : `type ${detail}`),
}
