import { expect, it } from 'vitest'
import { type Known, findTargets } from './palette-model'

const known: Known = {
  agents: [{ name: 'triage', description: 'Sorts tickets' }, { name: 'word-count', description: 'Counts' }],
  workflows: [{ name: 'intake', description: 'A ticket comes in' }],
  sessions: [{ session_id: 'ses_01a1e942b49d77d6b94f1434b8a17b6b', agent_name: 'triage', status: 'failed' }],
  runs: [{ run_id: 'run_2', session_id: 'ses_9', agent_name: 'triage', status: 'completed' }],
  workflowRuns: [{ workflow_run_id: 'wfr_3', workflow_name: 'intake', status: 'running' }],
}
const labels = (typed: string) => findTargets(known, typed).map(({ kind, label }) => `${kind} ${label}`)

it('offers pages, agents and workflows before anything is typed', () => {
  expect(labels('')).toContain('Page Overview')
  expect(labels('')).toContain('Agent word-count')
  expect(labels('').some((label) => label.startsWith('Session'))).toBe(false)
})

it('finds by name, description, status and id, names first', () => {
  expect(labels('ticket')).toEqual(['Agent triage', 'Workflow intake'])
  expect(labels('triage failed')).toEqual(['Session triage'])
  expect(labels('run_2')).toEqual(['Run triage'])
  expect(labels('intake')).toEqual(['Workflow intake', 'Workflow run intake'])
  expect(labels('no such thing')).toEqual([])
})

it('links to a complete id that is in no list', () => {
  const id = 'run_01a1e942b52475dca4491bb210f36c94'
  expect(findTargets(known, id)).toEqual([{ kind: 'Run', label: id, detail: '', link: { to: '/runs/$runId', params: { runId: id } } }])
  // An id that is in a list is not repeated.
  expect(labels('ses_01a1e942b49d77d6b94f1434b8a17b6b')).toEqual(['Session triage'])
})
