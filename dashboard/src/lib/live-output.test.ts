import { expect, it } from 'vitest'
import type { Api } from '@/api'
import { liveOutputOf } from './live-output'

let next = 0
const event = (run: string, body: object): Api.EventView =>
  ({ id: `evt_${(next += 1)}`, at: '2026-11-17T10:00:00Z', session_id: 'ses_1', run_id: run, ...body }) as Api.EventView
const delta = (channel: string, text: string, run = 'run_1') => event(run, { type: 'output.delta', channel, text })

it('appends each delta', () => {
  const events = [delta('text', '{"a'), delta('stderr', 'loading\n'), delta('text', '":1'), delta('text', 'other', 'run_2')]
  expect(liveOutputOf(events, 'run_1')).toEqual({ text: '{"a":1', stderr: 'loading\n' })
})

it('starts over after a complete message and after a retried request', () => {
  const events = [delta('text', 'first'), event('run_1', { type: 'message', role: 'assistant', text: 'first' }), delta('text', 'sec')]
  expect(liveOutputOf(events, 'run_1').text).toBe('sec')
  expect(liveOutputOf([...events, event('run_1', { type: 'request.repeated', reason: '', milliseconds: 0 })], 'run_1').text).toBe('')
})
