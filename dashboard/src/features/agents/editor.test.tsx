import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { access, presentKey } from '@/api/access'
import { type JsonMap, fromPlain, toPlain } from '@/lib/lossless'
import { type Agent, createAgent, saveAgent } from './api'
import { AgentEditor } from './editor'

const search: { tab?: string } = {}
const navigate = vi.fn()
vi.mock('@tanstack/react-router', () => ({
  useBlocker: () => ({ status: 'idle' }),
  useNavigate: () => navigate,
  useSearch: () => search,
}))
vi.mock('./api', async (original) => ({
  ...(await original<object>()),
  checkQuery: () => ({ queryKey: ['check'], queryFn: () => ({ valid: true, problems: [] }) }),
  createAgent: vi.fn(),
  saveAgent: vi.fn(),
}))

afterEach(() => {
  search.tab = undefined
  access.set({ key: null, role: null, loginReason: null, signedOut: false })
})

const BLUEPRINT = fromPlain({
  name: 'a', description: 'Old', type: 'autonomous', executor: { type: 'llm' }, limits: { timeout_seconds: 60 },
}) as JsonMap

const stored = (blueprint: JsonMap, hash: string) =>
  ({ blueprint, view: { hash, file: null, summary: { name: 'a', valid: true, problems: [] } } }) as unknown as Agent

function open(gone = false) {
  const client = new QueryClient()
  const page = () => (
    <QueryClientProvider client={client}>
      <AgentEditor agent={stored(BLUEPRINT, 'one')} gone={gone} initial={BLUEPRINT} />
    </QueryClientProvider>
  )
  const view = render(page())
  return { user: userEvent.setup(), rerender: () => view.rerender(page()) }
}

const save = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })
const seconds = () => screen.getByLabelText<HTMLInputElement>('Timeout (s)')

it('does not save while a number is invalid', async () => {
  const { user, rerender } = open()
  await user.type(screen.getByLabelText('Description'), 'er')
  expect(save().disabled).toBe(false)
  await user.clear(seconds())
  await user.type(seconds(), 'abc')
  expect(save().disabled).toBe(true)
  expect(screen.getByRole('alert').textContent).toContain('“abc” is not a whole number')

  // Switching tabs keeps the invalid text, and saving stays disabled.
  search.tab = 'tools'
  rerender()
  expect(save().disabled).toBe(true)
  search.tab = 'general'
  rerender()
  expect(seconds().value).toBe('abc')

  await user.click(screen.getByRole('button', { name: 'Discard' }))
  expect(seconds().value).toBe('60')
  expect(screen.queryByRole('alert')).toBeNull()
})

it('keeps text that is typed during a save', async () => {
  let answer: (agent: Agent) => void = () => undefined
  vi.mocked(saveAgent).mockImplementation(() => new Promise((resolve) => (answer = resolve)))
  const { user } = open()
  const description = screen.getByLabelText<HTMLInputElement>('Description')
  await user.type(description, 'er')
  await user.click(save())
  await user.type(description, ' still')
  const [, sent] = vi.mocked(saveAgent).mock.calls[0] ?? []
  expect(toPlain(sent ?? null)).toMatchObject({ description: 'Older' })
  await act(async () => answer(stored(sent as JsonMap, 'two')))
  expect(description.value).toBe('Older still')
  expect(screen.getByText('Unsaved changes')).toBeTruthy()
})

it('offers to create a deleted agent again from the page', async () => {
  vi.mocked(createAgent).mockImplementation(async (blueprint) => stored(blueprint as JsonMap, 'three'))
  const { user } = open(true)
  await user.type(screen.getByLabelText('Description'), 'er')
  expect(screen.getByRole('alert').textContent).toContain('a was deleted elsewhere')
  expect(save().disabled).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Create again' }))
  expect(vi.mocked(createAgent).mock.calls.map(([blueprint]) => toPlain(blueprint))).toMatchObject([{ name: 'a', description: 'Older' }])
  expect(screen.queryByText('Unsaved changes')).toBeNull()
})

it('is read-only with a caller key', () => {
  presentKey('accord_x', 'caller')
  open()
  expect(screen.getByRole('alert').textContent).toContain('Your key has the role caller: you can view agents')
  expect(screen.getByLabelText('Description').closest('fieldset')?.disabled).toBe(true)
  for (const name of ['Save', 'Delete']) expect(screen.queryByRole('button', { name })).toBeNull()
})

it('keeps changes after switching to a viewer key, and asks for another key', async () => {
  const { user } = open()
  await user.type(screen.getByLabelText('Description'), 'er')
  act(() => presentKey('accord_x', 'viewer'))
  expect([screen.getByLabelText<HTMLInputElement>('Description').value, save().disabled]).toEqual(['Older', true])
  await user.click(screen.getByRole('button', { name: 'Use another key' }))
  expect(access.get()).toMatchObject({ key: null, loginReason: 'Enter another API key.', signedOut: false })
})
