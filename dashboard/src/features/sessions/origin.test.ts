import { expect, it } from 'vitest'
import type { Api } from '@/api'
import { candidatesOf, originIn } from './origin'

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`

const summary = (id: string, from: number, to: number | null) =>
  ({ workflow_run_id: id, created_at: at(from), finished_at: to === null ? null : at(to) }) as Api.WorkflowRunSummary

it('considers workflow runs that were active when the session started', () => {
  const runs = [summary('later', 20, null), summary('open', 5, null), summary('around', 4, 12), summary('before', 1, 3)]
  expect(candidatesOf({ created_at: at(10) } as Api.SessionView, runs)).toEqual(['open', 'around'])
})

it('finds the node of a session, including sessions of earlier attempts', () => {
  const worker = (id: string): Api.Worker => ({ kind: 'run', run_id: `run_${id}`, session_id: `ses_${id}` })
  const tasks = [{ name: 'whole', status: 'running', attempts: 2, worker: worker('2'), earlier: [worker('1')] }]
  const run = { workflow_run_id: 'wfr_1', workflow_name: 'review', nodes: [{ id: 'in', tasks: [] }, { id: 'security', tasks }] }
  const found = { workflow_run_id: 'wfr_1', workflow_name: 'review', node: 'security' }
  const origin = (session: string) => originIn(run as unknown as Api.WorkflowRunView, session)
  expect([origin('ses_2'), origin('ses_1'), origin('ses_3')]).toEqual([found, found, null])
})
