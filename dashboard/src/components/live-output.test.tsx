import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { queryKeys } from '@/api'
import { LiveOutput } from './live-output'

const delta = (id: number, channel: string, text: string) => ({ id, at: '2026-01-01T00:00:00Z', run_id: 'run_1', type: 'output.delta', channel, text })

function renderEvents(events: object[]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(queryKeys.sessions.events('ses_1'), events)
  render(
    <QueryClientProvider client={client}>
      <LiveOutput sessionId="ses_1" runId="run_1" />
    </QueryClientProvider>,
  )
  return client
}

it('shows streamed text and marks it as not validated', async () => {
  const client = renderEvents([delta(1, 'text', '{"severity": "hi')])
  expect(screen.getByText('Unvalidated output')).toBeDefined()
  expect(screen.getByText('Not a result')).toBeDefined()
  const log = screen.getByRole('log', { name: 'Unvalidated model output' })
  expect(log.textContent).toContain('{"severity": "hi')
  const more = [delta(1, 'text', '{"severity": "hi'), delta(2, 'text', 'gh"}')]
  client.setQueryData(queryKeys.sessions.events('ses_1'), more)
  await vi.waitFor(() => expect(log.textContent).toContain('{"severity": "high"}'))
})

it('shows what a command writes to stderr', () => {
  renderEvents([delta(1, 'stderr', 'loading\n')])
  expect(screen.getByRole('log', { name: 'stderr' }).textContent).toContain('loading')
})

it('shows nothing while there is no output', () => {
  renderEvents([{ id: 1, run_id: 'run_1', type: 'run.started' }])
  expect(screen.queryByText('Unvalidated output')).toBeNull()
})
