import { Bot } from 'lucide-react'
import { type Kind, WORK_FIELDS, workerLabel, workflowSchemaFault } from './kind'

export const agent: Kind = {
  label: 'Agent',
  icon: Bot,
  meaning: 'Runs an agent or another workflow.',
  colours: 'bg-accent-soft text-accent',
  defaults: { agent: '' },
  fields: WORK_FIELDS,
  subtitle: ({ worker }) => workerLabel(worker),
  schemaFault: workflowSchemaFault,
  hasAgents: true,
}
