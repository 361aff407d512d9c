import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { workflowRunQuery } from '@/api/queries'
import { fromPlain, write } from '@/lib/lossless'
import { type Workflow, startWorkflow } from './api'
import { RunDialog } from './run-dialog'

vi.mock('@tanstack/react-router', () => ({ useNavigate: () => vi.fn() }))
vi.mock('./api', async (original) => ({ ...(await original<object>()), startWorkflow: vi.fn() }))

const schema = { type: 'object', properties: { diff: { type: 'string' }, level: { enum: ['low', 'high'] }, size: { type: 'integer' } } }
const workflow = {
  document: fromPlain({ name: 'w', nodes: { input: { type: 'input', schema } } }),
  view: { summary: { name: 'w' } },
} as unknown as Workflow

function open(input: string) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(workflowRunQuery('wfr_1').queryKey, `{"workflow_run_id":"wfr_1","input":${input}}`)
  vi.mocked(startWorkflow).mockReset().mockResolvedValue('wfr_2')
  render(
    <QueryClientProvider client={client}>
      <RunDialog workflow={workflow} changed={false} repeatedRun="wfr_1" onClose={() => undefined} />
    </QueryClientProvider>,
  )
}

const sent = () => vi.mocked(startWorkflow).mock.calls.map(([name, input]) => [name, write(input ?? null)])

it('starts with the input of the repeated run', async () => {
  open('{"diff":"a change","level":"middle","size":12345678901234567890}')
  expect(screen.getByLabelText(/^diff/)).toHaveProperty('value', 'a change')
  // The schema has changed since; the value that is no longer allowed is still shown.
  expect(screen.getByLabelText(/^level/)).toHaveProperty('value', '"middle"')
  await userEvent.type(screen.getByLabelText(/^diff/), '!')
  await userEvent.click(screen.getByRole('button', { name: 'Run it' }))
  expect(sent()).toEqual([['w', '{"diff":"a change!","level":"middle","size":12345678901234567890}']])
})

it('shows an input that does not fit the form as JSON', () => {
  open('{"diff":"a change","old":true}')
  expect(screen.getByLabelText<HTMLTextAreaElement>('Input as JSON').value).toContain('"old": true')
})
