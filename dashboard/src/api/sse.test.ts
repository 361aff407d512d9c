import { afterEach, expect, it, vi } from 'vitest'
import { type Connection, type Frame, follow, takeFrames } from './sse'

it('takes complete frames and keeps the rest', () => {
  expect(takeFrames(': accord\n\nid: 1\nevent: x\ndata: {"a":1}\n\nid: 2\nda')).toEqual({
    frames: [{ id: '1', data: '{"a":1}' }],
    rest: 'id: 2\nda',
  })
})

it('joins data lines and accepts carriage returns', () => {
  expect(takeFrames('id: 1\r\ndata: a\r\ndata: b\r\n\r\n').frames).toEqual([{ id: '1', data: 'a\nb' }])
})

afterEach(() => vi.unstubAllGlobals())

it('reconnects with the last event id', async () => {
  vi.useFakeTimers()
  const sent: (string | null)[] = []
  const stop = new AbortController()
  vi.stubGlobal('fetch', async (_path: string, init: RequestInit) => {
    sent.push(new Headers(init.headers).get('last-event-id'))
    if (sent.length === 1) return new Response('id: 41\ndata: {}\n\nid: 42\ndata: {}\n\n')
    if (sent.length === 2) throw new TypeError('no connection')
    stop.abort()
    return new Response(': heartbeat\n\n')
  })
  const frames: Frame[] = []
  const states: Connection[] = []
  const done = follow(
    '/events',
    { frame: (frame) => frames.push(frame), connection: (state) => states.push(state) },
    stop.signal,
  )
  await vi.runAllTimersAsync()
  await done
  vi.useRealTimers()
  expect(sent).toEqual([null, '42', '42'])
  expect(frames.map(({ id }) => id)).toEqual(['41', '42'])
  expect(states).toEqual(['connecting', 'live', 'lost', 'lost', 'live'])
})
