import { ClipboardList } from 'lucide-react'
import { type Kind, WORK_FIELDS, workerLabel } from './kind'

export const planner: Kind = {
  label: 'Planner',
  icon: ClipboardList,
  meaning: 'An agent plans subtasks; other agents run them.',
  colours: 'bg-warning-soft text-warning',
  defaults: { agent: '', agents: [] },
  fields: [...WORK_FIELDS, 'agents', 'synthesis', 'concurrency'],
  subtitle: ({ worker }) => `plans: ${workerLabel(worker)}`,
  schemaFault: () => 'a planner answers with a plan, whose schema is fixed',
  hasAgents: true,
}
