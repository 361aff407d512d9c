import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Api } from '@/api'
import { endpointsQuery } from './api'
import { Endpoints } from './endpoints'
import { learnedOf } from './model'

afterEach(cleanup)

const fact = (feature: string, standing: Api.Standing, seen: string, model = 'small'): Api.EndpointFact => ({
  endpoint: 'ollama http://127.0.0.1:11434', model, feature, standing, good: 1, bad: 0, last_seen: seen,
})

const FACTS = [
  fact('native', 'barred', '2026-11-15T10:00:00Z'),
  fact('native#sha256:a', 'barred', '2026-11-16T10:00:00Z'),
  fact('tool', 'works', '2026-11-14T10:00:00Z'),
  fact('native', 'unknown', '2026-11-14T10:00:00Z', 'large'),
]

function open(items: Api.EndpointFact[]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(endpointsQuery().queryKey, { items } as never)
  render(
    <QueryClientProvider client={client}>
      <Endpoints />
    </QueryClientProvider>,
  )
}

it('groups entries by endpoint and model', () => {
  const [small, large] = learnedOf(FACTS)
  expect(small?.features.map(({ feature, standing }) => [feature, standing])).toEqual([
    ['native', 'barred'],
    ['tool', 'works'],
  ])
  expect([small?.schemas, small?.lastSeen]).toEqual([1, '2026-11-16T10:00:00Z'])
  expect([large?.model, large?.schemas]).toEqual(['large', 0])
})

it('shows what was learned and asks before forgetting it', () => {
  open(FACTS)
  expect(screen.getByText('native: barred')).toBeDefined()
  expect(screen.getByText('1 for single schemas')).toBeDefined()
  const button = screen.getByRole('button', { name: /about small at ollama/ })
  fireEvent.click(button)
  expect(screen.getByText('Forget what was learned?')).toBeDefined()
})

it('says so if nothing was learned', () => {
  open([])
  expect(screen.getByText(/^Nothing yet/)).toBeDefined()
})
