/**
 * Server-sent events over fetch. The browser's EventSource cannot send a header, and the key must not be in a URL.
 * Reconnects with the last event id and exponential backoff.
 */
import { access, askForKey } from './access'
import { authorization } from './client'

export interface Frame {
  id: string
  data: string
}

/** Splits complete frames off the start of the buffer. Comments (heartbeats) are skipped. */
export function takeFrames(buffer: string): { frames: Frame[]; rest: string } {
  const parts = buffer.split(/\r?\n\r?\n/)
  const rest = parts.pop() ?? ''
  const frames: Frame[] = []
  for (const part of parts) {
    let id = ''
    const data: string[] = []
    for (const line of part.split(/\r?\n/)) {
      if (line.startsWith('id:')) id = line.slice(3).trim()
      else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
    }
    if (data.length > 0) frames.push({ id, data: data.join('\n') })
  }
  return { frames, rest }
}

export type Connection = 'connecting' | 'live' | 'lost'

export interface Listener {
  frame(frame: Frame): void
  /** Called with `live` again after each reconnect. */
  connection(state: Connection): void
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

/** Follows the stream until the signal is aborted. */
export async function follow(path: string, listener: Listener, signal: AbortSignal): Promise<void> {
  let lastId: string | null = null
  let pause = FIRST_PAUSE_MS
  listener.connection('connecting')
  while (!signal.aborted) {
    const sentWith = access.get().key
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream', ...authorization() }
      if (lastId !== null) headers['last-event-id'] = lastId
      const response = await globalThis.fetch(path, { headers, signal, cache: 'no-store' })
      if (response.status === 401) askForKey('This API key is no longer valid. It may have been revoked.', sentWith)
      if (response.ok && response.body !== null) {
        listener.connection('live')
        pause = FIRST_PAUSE_MS
        await read(response.body, (frame) => {
          if (frame.id !== '') lastId = frame.id
          listener.frame(frame)
        })
      }
    } catch {
      // No connection, or it broke: reconnect after the pause below.
    }
    if (signal.aborted) return
    listener.connection('lost')
    await sleep(pause, signal)
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
}

async function read(body: ReadableStream<Uint8Array>, take: (frame: Frame) => void): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let buffer = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const { frames, rest } = takeFrames(buffer + decoder.decode(value, { stream: true }))
    buffer = rest
    frames.forEach(take)
  }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
