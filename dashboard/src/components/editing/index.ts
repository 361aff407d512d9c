/** What editors of stored things share: verdicts, notices, and two people's changes. */
export { Conflict } from './conflict'
export { Leaving } from './leaving'
export { Notice, isAboutSent, isConflict } from './notice'
export { Notices } from './notices'
export { OnlyReads } from './only-reads'
export { Problems, Verdict } from './problems'
