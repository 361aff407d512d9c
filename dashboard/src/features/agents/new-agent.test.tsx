import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { ApiError } from '@/api'
import { type Json, at, isMap } from '@/lib/lossless'
import { createAgent } from './api'
import { AgentEditor } from './editor'
import { freshBlueprint } from './model'

vi.mock('@tanstack/react-router', () => ({
  useBlocker: () => ({ status: 'idle' }),
  useNavigate: () => vi.fn(),
  useSearch: () => ({}),
}))
const EMPTY = { severity: 'error', path: '$.name', message: 'a name cannot be empty' }
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

it('finds fault with a name when there is one, and with none when the agent is created', async () => {
  vi.mocked(createAgent).mockRejectedValue(new ApiError('InvalidAgent', 'the blueprint has mistakes', 400, { problems: [EMPTY] }))
  const user = userEvent.setup()
  const client = new QueryClient()
  render(
    <QueryClientProvider client={client}>
      <AgentEditor agent={null} gone={false} initial={freshBlueprint()} />
    </QueryClientProvider>,
  )
  await vi.waitFor(() => expect(client.getQueryData(['check', ''])).toBeTruthy())
  expect(screen.queryByText('a name cannot be empty')).toBeNull()

  await user.click(screen.getByRole('button', { name: 'Create agent' }))
  await screen.findByText('the blueprint has mistakes')
  // What was refused is not what stands there any more.
  await user.type(screen.getByLabelText('Name'), 'a b')
  expect(screen.queryByText('the blueprint has mistakes')).toBeNull()
  expect((await screen.findAllByText('a name has no space')).length).toBeGreaterThan(0)
})
