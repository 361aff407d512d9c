/** The one map of status to label, icon and colour. Pages must not choose colours themselves. */
import {
  Ban, CircleCheck, CircleDashed, CircleDot, CircleQuestionMark, CirclePause, CircleSlash, CircleX, Clock, Hand, Hourglass, Inbox, LoaderCircle,
  type LucideIcon, OctagonX, Scissors, ShieldX, Square, UserRound, WifiOff,
} from 'lucide-react'

export type Tone = 'neutral' | 'info' | 'success' | 'warning' | 'danger'

export interface Appearance {
  label: string
  icon: LucideIcon
  tone: Tone
  /** Whether the icon spins. */
  busy?: boolean
}

const STATUSES: Record<string, Appearance> = {
  // Runs and sessions.
  pending: { label: 'Pending', icon: Clock, tone: 'neutral' },
  claimed: { label: 'Claimed', icon: Inbox, tone: 'info' },
  running: { label: 'Running', icon: LoaderCircle, tone: 'info', busy: true },
  input_required: { label: 'Input required', icon: UserRound, tone: 'warning' },
  stopping: { label: 'Stopping', icon: Hand, tone: 'warning', busy: false },
  completed: { label: 'Completed', icon: CircleCheck, tone: 'success' },
  finished: { label: 'Finished', icon: CircleCheck, tone: 'success' },
  idle: { label: 'Idle', icon: CirclePause, tone: 'info' },
  failed: { label: 'Failed', icon: CircleX, tone: 'danger' },
  stopped: { label: 'Stopped', icon: Square, tone: 'neutral' },
  // Requests for input.
  open: { label: 'Open', icon: UserRound, tone: 'warning' },
  answered: { label: 'Answered', icon: CircleCheck, tone: 'success' },
  expired: { label: 'Expired', icon: Hourglass, tone: 'danger' },
  withdrawn: { label: 'Withdrawn', icon: CircleSlash, tone: 'neutral' },
  // Runs and sessions that wait for others, workflow nodes, and attempts without a final answer.
  waiting: { label: 'Waiting', icon: CircleDashed, tone: 'neutral' },
  // Workflow nodes.
  skipped: { label: 'Skipped', icon: CircleSlash, tone: 'neutral' },
  // Attempts.
  accepted: { label: 'Accepted', icon: CircleCheck, tone: 'success' },
  no_json: { label: 'No JSON', icon: CircleX, tone: 'danger' },
  parse_error: { label: 'Invalid JSON', icon: CircleX, tone: 'danger' },
  schema_invalid: { label: 'Schema mismatch', icon: ShieldX, tone: 'danger' },
  invariant_failed: { label: 'Invariant failed', icon: ShieldX, tone: 'danger' },
  schema_echo: { label: 'Schema echoed', icon: CircleX, tone: 'danger' },
  example_echo: { label: 'Example echoed', icon: CircleX, tone: 'danger' },
  ambiguous: { label: 'Ambiguous', icon: CircleDot, tone: 'warning' },
  embedded: { label: 'Not alone', icon: CircleX, tone: 'danger' },
  unconfirmed: { label: 'Unconfirmed', icon: CircleQuestionMark, tone: 'warning' },
  not_submitted: { label: 'Not submitted', icon: CircleX, tone: 'danger' },
  truncated: { label: 'Truncated', icon: Scissors, tone: 'warning' },
  refused: { label: 'Refused', icon: Ban, tone: 'danger' },
  schema_rejected: { label: 'Schema rejected by provider', icon: OctagonX, tone: 'warning' },
  no_progress: { label: 'No progress', icon: CircleSlash, tone: 'danger' },
  transport: { label: 'Provider error', icon: WifiOff, tone: 'warning' },
  budget_exhausted: { label: 'Budget exhausted', icon: OctagonX, tone: 'danger' },
  timed_out: { label: 'Timed out', icon: Hourglass, tone: 'danger' },
}

/** Unknown statuses, for example of a newer server, are shown by name. */
export function appearanceOf(status: string): Appearance {
  return STATUSES[status] ?? { label: status.replaceAll('_', ' '), icon: CircleDot, tone: 'neutral' }
}

export const RUN_STATUSES = [
  'pending', 'claimed', 'running', 'waiting', 'input_required', 'stopping', 'completed', 'failed', 'stopped',
] as const
export const INPUT_STATUSES = ['open', 'answered', 'expired', 'withdrawn'] as const
export const WORKFLOW_STATUSES = ['running', 'stopping', 'completed', 'failed', 'stopped'] as const
export const SESSION_STATUSES = [
  'pending', 'running', 'waiting', 'input_required', 'idle', 'finished', 'stopping', 'stopped', 'failed',
] as const

/** Whether a session or run with this status is not finished yet. */
export function isUnfinished(status: string): boolean {
  return ['pending', 'claimed', 'running', 'waiting', 'input_required', 'stopping'].includes(status)
}
