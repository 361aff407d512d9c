/** Runs an agent from a form, in its editor and on the page for new runs. */
export { TryRun } from './try-run'
