import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { REFETCH_MS } from '@/api/queries'
import { makeQueryClient } from '@/app/query-client'
import { SessionPage } from './session-page'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="#x">{children}</a>,
  getRouteApi: () => ({ useParams: () => ({ sessionId: 'ses_1' }), useSearch: () => ({}), useNavigate: () => vi.fn() }),
  useNavigate: () => vi.fn(),
}))

const SESSION = { session_id: 'ses_1', agent_name: 'triage', status: 'finished', created_at: '2026-01-01T00:00:00Z', last_run_id: 'run_1' }
const GONE = { error: 'SessionNotFound', message: 'session ses_1 not found', status_code: 404 }

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('stops showing a session that was deleted elsewhere', async () => {
  let removed = false
  vi.stubGlobal('fetch', (request: Request | string) => {
    const isSession = (typeof request === 'string' ? request : request.url).endsWith('/sessions/ses_1')
    const found = isSession && !removed
    return Promise.resolve(Response.json(found ? SESSION : GONE, { status: found ? 200 : 404 }))
  })
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <SessionPage />
    </QueryClientProvider>,
  )
  expect(await screen.findByText('triage')).toBeTruthy()
  removed = true
  await vi.advanceTimersByTimeAsync(REFETCH_MS)
  expect(await screen.findByText(GONE.message)).toBeTruthy()
  expect(screen.queryByText('triage')).toBeNull()
})
