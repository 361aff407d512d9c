import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { ApiError } from '@/api'
import { type Json, at, isMap } from '@/lib/lossless'
import { createAgent } from './api'
import { AgentEditor } from './editor'
import { newBlueprint } from './model'

vi.mock('@tanstack/react-router', () => ({
  useBlocker: () => ({ status: 'idle' }),
  useNavigate: () => vi.fn(),
  useSearch: () => ({}),
}))
const EMPTY = { severity: 'error', path: '$.name', message: 'name is empty' }
const SPACE = { severity: 'error', path: '$.name', message: 'a name has no space' }
const problemsOf = (blueprint: Json) => {
  const name = isMap(blueprint) ? at(blueprint, 'name') : ''
  return name === '' ? [EMPTY] : String(name).includes(' ') ? [SPACE] : []
}
vi.mock('./api', async (original) => ({
  ...(await original<object>()),
  checkQuery: (blueprint: Json) => ({ queryKey: ['check', String(at(blueprint, 'name'))], queryFn: () => ({ problems: problemsOf(blueprint) }) }),
  createAgent: vi.fn(),
}))

it('marks a missing name once when the agent is created, and sends nothing', async () => {
  const user = userEvent.setup()
  const client = new QueryClient()
  render(
    <QueryClientProvider client={client}>
      <AgentEditor agent={null} gone={false} initial={newBlueprint()} />
    </QueryClientProvider>,
  )
  await vi.waitFor(() => expect(client.getQueryData(['check', ''])).toBeTruthy())
  expect(screen.queryByText('name is empty')).toBeNull()
  expect(screen.getByLabelText('Name').getAttribute('aria-invalid')).toBeNull()

  await user.click(screen.getByRole('button', { name: 'Create agent' }))
  expect(screen.getByLabelText('Name').getAttribute('aria-invalid')).toBe('true')
  expect(screen.getAllByText(/enter a name|cannot be empty/i)).toHaveLength(1)
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Name')))
  expect(createAgent).not.toHaveBeenCalled()

  await user.type(screen.getByLabelText('Name'), 'a b')
  expect(screen.queryByText('Enter a name')).toBeNull()
  expect((await screen.findAllByText('a name has no space')).length).toBeGreaterThan(0)
})

it('hides an error about content that has been changed since', async () => {
  vi.mocked(createAgent).mockRejectedValue(new ApiError('InvalidAgent', 'the blueprint is invalid', 400, { problems: [SPACE] }))
  const user = userEvent.setup()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AgentEditor agent={null} gone={false} initial={newBlueprint()} />
    </QueryClientProvider>,
  )
  await user.type(screen.getByLabelText('Name'), 'a b')
  await user.click(screen.getByRole('button', { name: 'Create agent' }))
  await screen.findByText('the blueprint is invalid')
  await user.type(screen.getByLabelText('Name'), 'c')
  expect(screen.queryByText('the blueprint is invalid')).toBeNull()
})
