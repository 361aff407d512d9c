import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { queryKeys } from '@/api'
import { Happenings } from './happenings'

it('shows the latest of a long run, and says that there are more', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  const tools = Array.from({ length: 600 }, (_, id) => ({ id, run_id: 'run_1', type: 'tool.started', name: `tool-${id}` }))
  const events = [...tools, { id: 600, run_id: 'run_1', type: 'run.completed' }, { id: 601, run_id: 'run_2', type: 'run.queued' }]
  client.setQueryData(queryKeys.sessions.events('ses_1'), events)
  render(
    <QueryClientProvider client={client}>
      <Happenings run="run_1" session="ses_1" />
    </QueryClientProvider>,
  )
  const lines = screen.getAllByRole('listitem').map((line) => line.textContent)
  expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([
    501,
    'The first 101 are left out here; the session has all.',
    'Tool tool-101 is used',
    'Completed',
  ])
})
