/** Shared by the editors of agents and workflows: validation results, notices and conflicts. */
export { Conflict } from './conflict'
export { LeaveGuard } from './leave-guard'
export { Notice, isAboutSent, isConflict } from './notice'
export { Notices } from './notices'
export { ReadOnlyNotice } from './read-only-notice'
export { Problems, Verdict } from './problems'
export { type Versions, useSaving } from './use-saving'
