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
  input: { label: 'Input', icon: LogIn, meaning: 'What a run begins with.', colours: 'bg-sunken text-muted' },
  agent: { label: 'Agent', icon: Bot, meaning: 'An agent, or another workflow, does a piece of work.', colours: 'bg-accent-soft text-accent' },
  check: { label: 'Check', icon: ShieldCheck, meaning: 'A condition that must hold.', colours: 'bg-success-soft text-success' },
  map: { label: 'Map', icon: Repeat, meaning: 'The same agent for each item of a list.', colours: 'bg-info-soft text-info' },
  planner: { label: 'Planner', icon: ClipboardList, meaning: 'An agent makes a plan, others carry it out.', colours: 'bg-warning-soft text-warning' },
  output: { label: 'Output', icon: Flag, meaning: 'What the workflow gives.', colours: 'bg-sunken text-muted' },
  unknown: { label: 'Unknown', icon: CircleHelp, meaning: 'A node that this version cannot show.', colours: 'bg-danger-soft text-danger' },
}
