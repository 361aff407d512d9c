import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { registeredQuery } from '@/components/schema'
import { parse, write } from '@/lib/lossless'
import { runTextQuery, startRun, termsQuery } from './api'
import { TryRun } from './try-run'

const search: { run?: string } = {}
vi.mock('@tanstack/react-router', () => ({ useNavigate: () => () => undefined, useSearch: () => search }))
vi.mock('./live-run', () => ({ LiveRun: () => null }))
vi.mock('./api', async (original) => ({ ...(await original<object>()), startRun: vi.fn() }))

afterEach(() => {
  search.run = undefined
})

const PARAMETERS = parse('{"type":"object","properties":{"v":{"type":"string"},"n":{"type":"number"}}}')

function open(executor = 'llm') {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(termsQuery('a').queryKey, { parameters: PARAMETERS, output: null, open: true })
  client.setQueryData(registeredQuery().queryKey, [])
  client.setQueryData(runTextQuery('run_1').queryKey, '{"agent_name":"a","parameters":{"v":"as before","n":1.10}}')
  vi.mocked(startRun).mockReset().mockResolvedValue({} as never)
  render(
    <QueryClientProvider client={client}>
      <TryRun agentName="a" executor={executor} />
    </QueryClientProvider>,
  )
  return userEvent.setup()
}

const run = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Run it' })
const sent = () => vi.mocked(startRun).mock.calls.map(([request]) => write(request))

it('does not send other JSON than is shown', async () => {
  const user = open()
  await user.click(screen.getByRole('radio', { name: 'JSON' }))
  const field = screen.getByLabelText('Parameters as JSON')
  await user.clear(field)
  await user.paste('{"v": "old"}')
  await user.clear(field)
  await user.paste('{"v": "new"')
  expect(run().disabled).toBe(true)
  // Nor does another view take it away.
  await user.click(screen.getByRole('radio', { name: 'Form' }))
  expect(screen.getByLabelText('Parameters as JSON')).toHaveProperty('value', '{"v": "new"')
  await user.click(screen.getByLabelText('Parameters as JSON'))
  await user.paste('}')
  await user.click(run())
  expect(sent()).toEqual(['{"agent_name":"a","parameters":{"v":"new"}}'])
})

it('does not send another number than is shown', async () => {
  const user = open()
  const field = screen.getByLabelText(/^n/)
  await user.type(field, '1e3')
  expect(run().disabled).toBe(false)
  await user.clear(field)
  await user.type(field, '-')
  expect(run().disabled).toBe(true)
  await user.type(field, '5')
  await user.click(run())
  expect(sent()).toEqual(['{"agent_name":"a","parameters":{"n":-5}}'])
})

it('says why it cannot be run yet', async () => {
  const user = open()
  await user.type(screen.getByLabelText(/^n/), '-')
  expect(screen.getByRole('status').textContent).toBe('Not yet: “-” is not a number in JSON')
  await user.clear(screen.getByLabelText(/^n/))
  await user.click(screen.getByRole('radio', { name: 'From the registry' }))
  expect(run().disabled).toBe(true)
  expect(screen.getByRole('status').textContent).toBe('Not yet: choose a registered schema for the output')
})

it('asks for a model only where there is one', () => {
  open('process')
  expect(screen.queryByLabelText('Model')).toBeNull()
  cleanup()
  open('external')
  expect(screen.getByLabelText('Model')).toBeTruthy()
})

it('begins with what went into the run that the address names', async () => {
  search.run = 'run_1'
  const user = open()
  await user.click(run())
  expect(sent()).toEqual(['{"agent_name":"a","parameters":{"v":"as before","n":1.10}}'])
})
