import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import type { Api } from '@/api'
import { access, presentKey } from '@/api/access'
import { agentsQuery, contractQuery, runQuery } from '@/api/queries'
import { SessionActions } from './actions'

vi.mock('@tanstack/react-router', () => ({
  Link: ({ children, search }: { children: ReactNode; search: object }) => <a href={`#${JSON.stringify(search)}`}>{children}</a>,
  useNavigate: () => vi.fn(),
}))

afterEach(() => access.set({ key: null, role: null, loginReason: null, signedOut: false }))

const session = { session_id: 'ses_1', agent_name: 'a', status: 'idle' } as Api.SessionView

function open(type: Api.Type | null, parameters: object | null, status: Api.RunStatus = 'completed') {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  const agent = { name: 'a', type, valid: true, has_parameters_schema: parameters !== null } as Api.AgentSummary
  client.setQueryData(agentsQuery().queryKey, { items: type === null ? [] : [agent] })
  client.setQueryData(runQuery('run_2').queryKey, { run_id: 'run_2', status, model: 'small' } as Api.RunView)
  client.setQueryData(contractQuery('a').queryKey, { parameters_schema: parameters } as Api.AgentContract)
  const { unmount } = render(
    <QueryClientProvider client={client}>
      <SessionActions session={session} runId="run_2" inputRunId="run_1" />
    </QueryClientProvider>,
  )
  const resume = screen.queryByRole('button', { name: 'Resume' }) !== null
  const button = screen.queryByRole('button', { name: 'Run again' })
  if (button !== null) fireEvent.click(button)
  const edit = screen.queryByRole('link', { name: 'Edit the input' })?.getAttribute('href') ?? null
  const model = (screen.queryByLabelText('Model') as HTMLInputElement | null)?.value ?? null
  unmount()
  return { resume, edit, model }
}

const EDIT = '#{"agent":"a","run":"run_1"}'
const TEXT = { type: 'object', required: ['text'], properties: { text: { type: 'string' } }, additionalProperties: false }
const PROMPT = { type: 'object', required: ['prompt'], properties: { prompt: { type: 'string' } }, additionalProperties: false }

it('offers to resume where possible, to run again, and to edit the input of listed agents', () => {
  expect(open('autonomous', TEXT)).toEqual({ resume: true, edit: EDIT, model: 'small' })
  expect(open('procedural', TEXT)).toEqual({ resume: false, edit: EDIT, model: 'small' })
  expect(open('procedural', PROMPT)).toEqual({ resume: true, edit: EDIT, model: 'small' })
  expect(open('procedural', null)).toEqual({ resume: true, edit: EDIT, model: 'small' })
  // An inline agent of a workflow is not listed.
  expect(open(null, null)).toEqual({ resume: true, edit: null, model: 'small' })
})

it('offers nothing to a viewer key', () => {
  presentKey('accord_x', 'viewer')
  expect(open('autonomous', TEXT)).toEqual({ resume: false, edit: null, model: null })
})

it('runs only finished runs again', () => {
  expect(open('autonomous', TEXT, 'waiting')).toEqual({ resume: true, edit: null, model: null })
})
