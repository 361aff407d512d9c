import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { attemptsQuery } from './api'
import { AttemptsView } from './attempts-view'

const search: { attempt?: string; error?: number } = {}
vi.mock('@tanstack/react-router', () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="#x">{children}</a>,
  getRouteApi: () => ({ useSearch: () => search, useParams: () => ({ sessionId: 'ses_1' }), useNavigate: () => vi.fn() }),
}))
afterEach(() => {
  search.attempt = undefined
  search.error = undefined
})

const error = (name: string) => ({ path: `$.${name}`, pointer: `/${name}`, keyword: 'type', message: 'expected string' })
const attempts = [
  { number: 1, delivery: 1, strategy: 'native', outcome: 'schema_invalid', errors: [error('a'), error('b')], text: '{"a": 1, "b": 2}' },
  { number: 2, delivery: 1, strategy: 'native', outcome: 'schema_invalid', errors: [error('b')], text: '{"a": "x", "b": 2}' },
  { number: 3, delivery: 1, strategy: 'native', outcome: 'unconfirmed', errors: [], text: 'It is {"a": "x"}.' },
  { number: 4, delivery: 1, strategy: 'native', outcome: 'accepted', source: 'fence', text: '```\n{"a": "x"}\n```' },
]

function open() {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(attemptsQuery('run_1').queryKey, { items: attempts } as never)
  render(
    <QueryClientProvider client={client}>
      <AttemptsView runId="run_1" />
    </QueryClientProvider>,
  )
  return [...document.querySelectorAll('mark')].map((mark) => mark.textContent)
}

it('highlights all errors, or only the selected one', () => {
  search.attempt = '1-1'
  expect(open()).toEqual(['1', '2'])
  cleanup()
  search.error = 1
  expect(open()).toEqual(['2'])
})

it('shows the source of an accepted value', () => {
  open()
  expect(screen.getByText('Source').parentElement?.textContent).toBe('Sourcefence')
  cleanup()
  search.attempt = '1-3'
  open()
  expect(screen.getAllByText('Unconfirmed').length).toBeGreaterThan(0)
  expect(screen.getByText('Source').parentElement?.textContent).toBe('Source–')
})

it('shows the changes since the previous attempt', () => {
  search.attempt = '1-2'
  open()
  expect(screen.getByText('Changes from attempt 1')).toBeTruthy()
  expect(screen.getByText('removed:', { exact: false }).parentElement?.textContent).toContain('"a": 1')
  cleanup()
  search.attempt = '1-1'
  open()
  expect(screen.queryByText(/Changes from/)).toBeNull()
})
