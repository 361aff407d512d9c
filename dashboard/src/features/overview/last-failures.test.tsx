import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { LastFailures } from './last-failures'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ children, search }: { children: ReactNode; search: object }) => <a href={JSON.stringify(search)}>{children}</a>,
}))
afterEach(() => vi.unstubAllGlobals())

it('shows failures of the selected agent and period', async () => {
  const requests: URLSearchParams[] = []
  vi.stubGlobal('fetch', async ({ url }: Request) => {
    requests.push(new URL(url).searchParams)
    return Response.json({ items: [] })
  })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <LastFailures agent="a" period="7d" />
    </QueryClientProvider>,
  )
  await screen.findByText('No failures')
  expect([requests[0]?.get('status'), requests[0]?.get('agent_name'), requests[0]?.has('since')]).toEqual(['failed', 'a', true])
  expect(screen.getByText('All failures').getAttribute('href')).toBe('{"status":"failed","agent":"a","since":"7d"}')
})
