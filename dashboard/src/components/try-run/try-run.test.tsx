import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { runsQuery } from '@/api/queries'
import { registeredQuery } from '@/components/schema'
import { type Json, parse, write } from '@/lib/lossless'
import { runTextQuery, startRun, termsQuery } from './api'
import { TryRun } from './try-run'

const search: { run?: string; sample?: boolean } = {}
vi.mock('@tanstack/react-router', () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="#x">{children}</a>,
  useNavigate: () => () => undefined,
  useSearch: () => search,
}))
vi.mock('./live-run', () => ({ LiveRun: () => null }))
vi.mock('./api', async (original) => ({ ...(await original<object>()), startRun: vi.fn() }))

afterEach(() => {
  search.run = undefined
  search.sample = undefined
})

const PARAMETERS = parse('{"type":"object","properties":{"v":{"type":"string"},"n":{"type":"number"}}}')

function open(executor = 'llm', parameters: Json = PARAMETERS, completed: object[] = []) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(termsQuery('a').queryKey, { parameters, output: null, open: true })
  client.setQueryData(runsQuery({ agent_name: 'a', status: 'completed', limit: 1 }).queryKey, { items: completed } as never)
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

it('does not run with JSON that is invalid on screen', async () => {
  const user = open()
  await user.click(screen.getByRole('radio', { name: 'JSON' }))
  const field = screen.getByLabelText('Input as JSON')
  await user.clear(field)
  await user.paste('{"v": "old"}')
  await user.clear(field)
  await user.paste('{"v": "new"')
  expect(run().disabled).toBe(true)
  // Switching the view does not discard it either.
  await user.click(screen.getByRole('radio', { name: 'Form' }))
  expect(screen.getByLabelText('Input as JSON')).toHaveProperty('value', '{"v": "new"')
  await user.click(screen.getByLabelText('Input as JSON'))
  await user.paste('}')
  await user.click(run())
  expect(sent()).toEqual(['{"agent_name":"a","parameters":{"v":"new"}}'])
})

it('does not run with a number that is invalid on screen', async () => {
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

it('explains why it cannot be run yet', async () => {
  const user = open()
  await user.type(screen.getByLabelText(/^n/), '-')
  expect(screen.getByRole('status').textContent).toBe('Fix first: “-” is not a number')
  await user.clear(screen.getByLabelText(/^n/))
  await user.click(screen.getByRole('radio', { name: 'Registered' }))
  expect(run().disabled).toBe(true)
  expect(screen.getByRole('status').textContent).toBe('Fix first: choose a registered schema for the output')
})

it('offers a model only for executors that use one', () => {
  open('process')
  expect(screen.queryByLabelText('Model')).toBeNull()
  cleanup()
  open('external')
  expect(screen.getByLabelText('Model')).toBeTruthy()
})

it('starts with the input of the run in the URL', async () => {
  search.run = 'run_1'
  const user = open()
  await user.click(run())
  expect(sent()).toEqual(['{"agent_name":"a","parameters":{"v":"as before","n":1.10}}'])
})

it('starts with the contract of the run in the URL', async () => {
  search.run = 'run_2'
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(termsQuery('a').queryKey, { parameters: PARAMETERS, output: null, open: true })
  client.setQueryData(registeredQuery().queryKey, [{ name: 'task', description: '' }] as never)
  client.setQueryData(runsQuery({ agent_name: 'a', status: 'completed', limit: 1 }).queryKey, { items: [] } as never)
  const contract = '{"schema":{},"schema_name":"task","max_retries":0}'
  client.setQueryData(runTextQuery('run_2').queryKey, `{"agent_name":"a","parameters":{"v":"x"},"contract_origin":"caller","contract":${contract}}`)
  vi.mocked(startRun).mockReset().mockResolvedValue({} as never)
  render(
    <QueryClientProvider client={client}>
      <TryRun agentName="a" executor="llm" />
    </QueryClientProvider>,
  )
  await userEvent.setup().click(run())
  expect(sent()).toEqual([
    '{"agent_name":"a","parameters":{"v":"x"},"output_schema_name":"task","output_schema_options":{"max_retries":0}}',
  ])
})

const WITH_EXAMPLE = parse('{"type":"object","properties":{"v":{"type":"string","examples":["hello"]}}}')

it('fills in the example of the schema', async () => {
  const user = open('llm', WITH_EXAMPLE)
  await user.click(screen.getByRole('button', { name: 'Use the example input' }))
  await user.click(run())
  expect(sent()).toEqual(['{"agent_name":"a","parameters":{"v":"hello"}}'])
})

it('starts with the example if the URL asks for it', async () => {
  search.sample = true
  const user = open('llm', WITH_EXAMPLE)
  await user.click(run())
  expect(sent()).toEqual(['{"agent_name":"a","parameters":{"v":"hello"}}'])
})

it('fills in the input of the last successful run', async () => {
  const user = open('llm', PARAMETERS, [{ run_id: 'run_1' }])
  await user.click(screen.getByRole('button', { name: 'Use the input of the last successful run' }))
  await screen.findByDisplayValue('as before')
  await user.click(run())
  expect(sent()).toEqual(['{"agent_name":"a","parameters":{"v":"as before","n":1.10}}'])
})

it('explains that a recording only answers recorded inputs', () => {
  open('replay')
  expect(screen.getByText('This agent is a recording.')).toBeTruthy()
  cleanup()
  open('llm')
  expect(screen.queryByText('This agent is a recording.')).toBeNull()
})
