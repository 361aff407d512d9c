import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { type Api, queryKeys } from '@/api'
import { RunEvents } from './run-events'

const run = (status: Api.RunStatus) => ({ run_id: 'run_1', session_id: 'ses_1', status }) as Api.RunView

it('shows the latest events of a long run and the number of hidden ones', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  const tools = Array.from({ length: 600 }, (_, id) => ({ id, run_id: 'run_1', type: 'tool.started', name: `tool-${id}` }))
  const events = [...tools, { id: 600, run_id: 'run_1', type: 'run.completed' }, { id: 601, run_id: 'run_2', type: 'run.queued' }]
  client.setQueryData(queryKeys.sessions.events('ses_1'), events)
  render(
    <QueryClientProvider client={client}>
      <RunEvents run={run('completed')} />
    </QueryClientProvider>,
  )
  const lines = screen.getAllByRole('listitem').map((line) => line.textContent)
  expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([
    501,
    'The first 101 events are not shown here; the session has all of them.',
    'Tool tool-101 started',
    'Completed',
  ])
})

it('shows what a running run is waiting for', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(queryKeys.sessions.events('ses_1'), [
    { id: 1, at: '2026-01-01T00:00:00Z', run_id: 'run_1', type: 'message', role: 'assistant', text: 'Let me look.' },
    { id: 2, at: '2026-01-01T00:00:00Z', run_id: 'run_1', type: 'tool.started', name: 'read_file' },
  ])
  render(
    <QueryClientProvider client={client}>
      <RunEvents run={run('running')} />
    </QueryClientProvider>,
  )
  const lines = screen.getAllByRole('listitem').map((line) => line.textContent)
  expect(lines[0]).toContain('Let me look.')
  expect(lines.at(-1)).toContain('Running tool read_file')
})
