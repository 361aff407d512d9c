/** The form of each kind of node. */
import type { ComponentType } from 'react'
import type { NodeKind } from '@/components/graph/kinds'
import { AgentForm } from './agent'
import { CheckForm } from './check'
import { HumanForm } from './human'
import { InputForm } from './input'
import { MapForm } from './map'
import { OutputForm } from './output'
import { PlannerForm } from './planner'

export const FORMS: Record<NodeKind, ComponentType<{ onChip: () => void }>> = {
  input: InputForm,
  agent: AgentForm,
  check: CheckForm,
  map: MapForm,
  planner: PlannerForm,
  human: HumanForm,
  output: OutputForm,
}
