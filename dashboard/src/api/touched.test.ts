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

it('says what the end of a run makes stale', () => {
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

it('says what an attempt makes stale', () => {
  expect(touched(event('attempt.judged'))).toEqual(['sessions events ses_1', 'runs attempts run_1', 'runs one run_1'])
})

it('says that a run waits', () => {
  expect(touched(event('run.waiting'))).toEqual(expect.arrayContaining(['sessions one ses_1', 'runs one run_1', 'runs list']))
})

it('says that a person is asked, and that somebody answered', () => {
  for (const type of ['run.input_required', 'input.closed']) {
    const stale = ['sessions one ses_1', 'sessions list', 'runs one run_1', 'runs list', 'inputs']
    expect(touched(event(type))).toEqual(expect.arrayContaining(stale))
  }
})

it('tells a parent of its child', () => {
  expect(touched(event('session.created', { parent_session_id: 'ses_0' }))).toContain('sessions children ses_0')
})

it('tells a parent that it was not told', () => {
  expect(touched(event('callback.held', { run_id: null }))).toEqual(expect.arrayContaining(['sessions one ses_1', 'sessions children ses_1']))
})

it('touches only the timeline by what is said', () => {
  expect(touched(event('message'))).toEqual(['sessions events ses_1'])
})

it('knows workflows by their run', () => {
  const given = event('workflow.node_finished', { session_id: '', workflow_run_id: 'wfr_1' })
  expect(touched(given)).toEqual(['workflow-runs one wfr_1', 'workflow-runs list'])
})

it('looks at a workflow run again by everything that names it, but not by what is said', () => {
  const within = { workflow_run_id: 'wfr_1' }
  expect(touched(event('run.failed', within))).toContain('workflow-runs one wfr_1')
  expect(touched(event('message', within))).toEqual(['sessions events ses_1'])
  expect(touched(event('workflow.finished', { session_id: '' }))).toEqual(['workflow-runs'])
})

it('leaves alone what it does not know', () => {
  expect(touched(event('something.new'))).toEqual(['sessions events ses_1'])
})

it('reads events, and nothing else', () => {
  expect(readEvent('3', '{"type":"run.started","session_id":"ses_1","run_id":"run_1"}')).toEqual(
    event('run.started', { id: '3' }),
  )
  expect(readEvent('3', 'not json')).toBeNull()
  expect(readEvent('3', '[]')).toBeNull()
})
