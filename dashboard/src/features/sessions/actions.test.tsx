import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import type { Api } from '@/api'
import { access, presentKey } from '@/api/access'
import { agentsQuery, contractQuery } from '@/api/queries'
import { SessionActions } from './actions'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ children, search }: { children: ReactNode; search: object }) => <a href={`#${JSON.stringify(search)}`}>{children}</a>,
  useNavigate: () => vi.fn(),
}))

afterEach(() => access.set({ key: null, role: null, asked: null, left: false }))

const session = { session_id: 'ses_1', agent_name: 'a', status: 'idle' } as Api.SessionView

function open(type: Api.Type | null, parameters: object | null) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  const agent = { name: 'a', type, valid: true, has_parameters_schema: parameters !== null } as Api.AgentSummary
  client.setQueryData(agentsQuery().queryKey, { items: type === null ? [] : [agent] })
  client.setQueryData(contractQuery('a').queryKey, { parameters_schema: parameters } as Api.AgentContract)
  const { unmount } = render(
    <QueryClientProvider client={client}>
      <SessionActions session={session} again="run_1" />
    </QueryClientProvider>,
  )
  const resume = screen.queryByRole('button', { name: 'Resume' }) !== null
  const again = screen.queryByRole('link', { name: 'Run again' })?.getAttribute('href') ?? null
  unmount()
  return { resume, again }
}

const AGAIN = '#{"agent":"a","run":"run_1"}'
const TEXT = { type: 'object', required: ['text'], properties: { text: { type: 'string' } }, additionalProperties: false }
const PROMPT = { type: 'object', required: ['prompt'], properties: { prompt: { type: 'string' } }, additionalProperties: false }

it('offers to resume what can be resumed, and to run every listed agent again', () => {
  expect(open('autonomous', TEXT)).toEqual({ resume: true, again: AGAIN })
  expect(open('procedural', TEXT)).toEqual({ resume: false, again: AGAIN })
  expect(open('procedural', PROMPT)).toEqual({ resume: true, again: AGAIN })
  expect(open('procedural', null)).toEqual({ resume: true, again: AGAIN })
  // One that is written in a workflow is in no list.
  expect(open(null, null)).toEqual({ resume: true, again: null })
})

it('offers nothing to a key that only reads', () => {
  presentKey('accord_x', 'viewer')
  expect(open('autonomous', TEXT)).toEqual({ resume: false, again: null })
})
