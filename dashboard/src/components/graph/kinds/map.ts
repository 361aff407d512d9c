import { Repeat } from 'lucide-react'
import { type Kind, WORK_FIELDS, textAt, workerLabel, workflowSchemaFault } from './kind'

export const map: Kind = {
  label: 'Map',
  icon: Repeat,
  meaning: 'Runs an agent for each item of a list.',
  colours: 'bg-info-soft text-info',
  defaults: { over: '', agent: '' },
  fields: [...WORK_FIELDS, 'over', 'concurrency'],
  detail: (node) => textAt(node, 'over'),
  subtitle: ({ worker }) => `each item: ${workerLabel(worker)}`,
  schemaFault: workflowSchemaFault,
  hasAgents: true,
  perItem: true,
}
