import type { LinkProps } from '@tanstack/react-router'
import {
  Bot, Cog, FileJson2, Gauge, KeyRound, ListTree, type LucideIcon, MessagesSquare, Server, UserRound, Waypoints, Workflow,
} from 'lucide-react'

export interface NavigationItem {
  to: LinkProps['to']
  label: string
  icon: LucideIcon
  /** Whether the number of open input requests is shown next to it. */
  counted?: true
}

/** The pages in the side bar, in groups. */
export const NAVIGATION: NavigationItem[][] = [
  [
    { to: '/', label: 'Overview', icon: Gauge },
    { to: '/sessions', label: 'Sessions', icon: MessagesSquare },
    { to: '/runs', label: 'Runs', icon: ListTree },
    { to: '/inputs', label: 'Inputs', icon: UserRound, counted: true },
  ],
  [
    { to: '/agents', label: 'Agents', icon: Bot },
    { to: '/schemas', label: 'Schemas', icon: FileJson2 },
  ],
  [
    { to: '/workflows', label: 'Workflows', icon: Workflow },
    { to: '/workflow-runs', label: 'Workflow runs', icon: Waypoints },
  ],
  [
    { to: '/runners', label: 'Runners', icon: Server },
    { to: '/keys', label: 'Keys', icon: KeyRound },
    { to: '/settings', label: 'Settings', icon: Cog },
  ],
]
