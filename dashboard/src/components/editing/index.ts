/** What editors of stored things share: verdicts, notices, and two people's changes. */
export { Conflict } from './conflict'
export { Notice, isConflict, problemsIn } from './notice'
export { changedParts, merged } from './parts'
export { Problems, Verdict } from './problems'
