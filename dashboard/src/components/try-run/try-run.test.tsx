import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { parse, write } from '@/lib/lossless'
import { startRun, termsQuery } from './api'
import { TryRun } from './try-run'

vi.mock('@tanstack/react-router', () => ({ useNavigate: () => () => undefined, useSearch: () => ({}) }))
vi.mock('./api', async (original) => ({ ...(await original<object>()), startRun: vi.fn() }))

const PARAMETERS = parse('{"type":"object","properties":{"v":{"type":"string"},"n":{"type":"number"}}}')

function open() {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(termsQuery('a').queryKey, { parameters: PARAMETERS, output: null, open: true })
  vi.mocked(startRun).mockReset().mockResolvedValue({} as never)
  render(
    <QueryClientProvider client={client}>
      <TryRun agentName="a" />
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
