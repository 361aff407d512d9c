import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import type { Api } from '@/api'
import { openInputsQuery } from '@/api/queries'
import { until } from '@/lib/format'
import { childrenQuery } from './api'
import { Waiting } from './waiting'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ children, params }: { children: ReactNode; params: Record<string, string> }) => <a href={Object.values(params)[0]}>{children}</a>,
}))

const waits_until = '2026-01-01T12:05:00Z'

function show(status: Api.RunStatus) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  const children = ['running', 'finished', 'waiting'].map((state, index) => ({
    session_id: `ses_${index}`, agent_name: `child-${index}`, status: state,
  }))
  client.setQueryData(childrenQuery('ses_p').queryKey, { items: children, next_cursor: null } as never)
  const inputs = [
    { id: 'inp_1', purpose: 'approval', message: 'Allow it?', tool: { name: 'pay', arguments: { amount: 5 } } },
    { id: 'inp_2', purpose: 'question', message: 'Which\none?' },
  ]
  client.setQueryData(openInputsQuery({ run_id: 'run_p' }).queryKey, { items: inputs, next_cursor: null } as never)
  render(
    <QueryClientProvider client={client}>
      <Waiting run={{ run_id: 'run_p', session_id: 'ses_p', status, waits_until } as Api.RunView} />
    </QueryClientProvider>,
  )
}

it('shows the number of children that a run waits for, until when, and links to them', () => {
  show('waiting')
  expect(screen.getByRole('status').textContent).toContain(`Waiting for 2 child sessions until ${until(waits_until, Date.now())}.`)
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['ses_0', 'ses_2'])
})

it('shows that a run waits for a person, and links to the requests', () => {
  show('input_required')
  expect(screen.getByRole('status').textContent).toMatch(/^Waiting for an answer from a person until .+\./)
  const links = screen.getAllByRole('link').map((link) => [link.getAttribute('href'), link.textContent])
  expect(links).toEqual([['inp_1', 'Approval: pay {"amount":5}'], ['inp_2', 'Question: Which one?']])
})

it('shows nothing while a run is running', () => {
  show('running')
  expect(screen.queryByRole('status')).toBeNull()
})
