/** What the kinds of nodes are called and look like: the one map. */
import { Bot, CircleHelp, ClipboardList, Flag, LogIn, type LucideIcon, Repeat, ShieldCheck } from 'lucide-react'
import type { GraphNode } from './model'

export interface KindLook {
  label: string
  icon: LucideIcon
  /** What it is for, in one sentence. */
  meaning: string
  /** Of the icon's square. */
  colours: string
}

export const KINDS: Record<GraphNode['kind'], KindLook> = {
  input: { label: 'Input', icon: LogIn, meaning: 'The input of the workflow.', colours: 'bg-sunken text-muted' },
  agent: { label: 'Agent', icon: Bot, meaning: 'Runs an agent or another workflow.', colours: 'bg-accent-soft text-accent' },
  check: { label: 'Check', icon: ShieldCheck, meaning: 'Checks a condition.', colours: 'bg-success-soft text-success' },
  map: { label: 'Map', icon: Repeat, meaning: 'Runs an agent for each item of a list.', colours: 'bg-info-soft text-info' },
  planner: { label: 'Planner', icon: ClipboardList, meaning: 'An agent plans subtasks; other agents run them.', colours: 'bg-warning-soft text-warning' },
  output: { label: 'Output', icon: Flag, meaning: 'The output of the workflow.', colours: 'bg-sunken text-muted' },
  unknown: { label: 'Unknown', icon: CircleHelp, meaning: 'A node type that this version does not know.', colours: 'bg-danger-soft text-danger' },
}
