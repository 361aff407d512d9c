/** Trying an agent: beside its editor, and on a page of its own. */
export { TryRun } from './try-run'
