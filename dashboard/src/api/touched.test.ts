import { expect, it } from 'vitest'
import { type LiveEvent, readEvent, touchedBy } from './touched'

const event = (type: string, more: Partial<LiveEvent> = {}): LiveEvent => ({
  id: '7',
  type,
  session_id: 'ses_1',
  run_id: 'run_1',
  workflow_run_id: null,
  parent_session_id: null,
  ...more,
})
const touched = (given: LiveEvent) => touchedBy(given).map((key) => key.join(' '))

it('invalidates lists, stats and inputs when a run finishes', () => {
  expect(touched(event('run.failed'))).toEqual([
    'sessions events ses_1',
    'sessions one ses_1',
    'sessions list',
    'runs one run_1',
    'runs list',
    'runners',
    'stats',
    'inputs',
  ])
})

it('invalidates the attempts and the run after an attempt', () => {
  expect(touched(event('attempt.judged'))).toEqual(['sessions events ses_1', 'runs attempts run_1', 'runs one run_1'])
})

it('invalidates the session and the run when a run waits', () => {
  expect(touched(event('run.waiting'))).toEqual(expect.arrayContaining(['sessions one ses_1', 'runs one run_1', 'runs list']))
})

it('invalidates inputs when a request is opened or closed', () => {
  for (const type of ['run.input_required', 'input.closed']) {
    const stale = ['sessions one ses_1', 'sessions list', 'runs one run_1', 'runs list', 'inputs']
    expect(touched(event(type))).toEqual(expect.arrayContaining(stale))
  }
})

it('invalidates the children of the parent session', () => {
  expect(touched(event('session.created', { parent_session_id: 'ses_0' }))).toContain('sessions children ses_0')
})

it('invalidates the children when a callback is held', () => {
  expect(touched(event('callback.held', { run_id: null }))).toEqual(expect.arrayContaining(['sessions one ses_1', 'sessions children ses_1']))
})

it('invalidates only the timeline for a message', () => {
  expect(touched(event('message'))).toEqual(['sessions events ses_1'])
})

it('invalidates the workflow run of a workflow event', () => {
  const given = event('workflow.node_finished', { session_id: '', workflow_run_id: 'wfr_1' })
  expect(touched(given)).toEqual(['workflow-runs one wfr_1', 'workflow-runs list'])
})

it('invalidates a workflow run for every event with its id except messages', () => {
  const within = { workflow_run_id: 'wfr_1' }
  expect(touched(event('run.failed', within))).toContain('workflow-runs one wfr_1')
  expect(touched(event('message', within))).toEqual(['sessions events ses_1'])
  expect(touched(event('workflow.finished', { session_id: '' }))).toEqual(['workflow-runs'])
})

it('invalidates only the timeline for unknown events', () => {
  expect(touched(event('something.new'))).toEqual(['sessions events ses_1'])
})

it('parses events and rejects other data', () => {
  expect(readEvent('3', '{"type":"run.started","session_id":"ses_1","run_id":"run_1"}')).toEqual(
    event('run.started', { id: '3' }),
  )
  expect(readEvent('3', 'not json')).toBeNull()
  expect(readEvent('3', '[]')).toBeNull()
})
