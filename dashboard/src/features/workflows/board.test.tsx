import { ReactFlowProvider } from '@xyflow/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { ReadOnlyProvider } from '@/components/read-only'
import { UnreadProvider } from '@/components/unread'
import { parse } from '@/lib/lossless'
import { Board } from './board'
import { DraftProvider, useNewDraft } from './draft'
import { useSelection } from './selection'

interface Search {
  node?: string
}
let search: Search = {}
let show: (search: Search) => void = () => undefined
vi.mock('@tanstack/react-router', () => ({
  Link: () => null,
  useSearch: () => search,
  useNavigate: () => (to: { search: (before: Search) => Search }) => show(to.search(search)),
}))
vi.mock('./api', async (original) => ({
  ...(await original<object>()),
  checkQuery: () => ({ queryKey: ['check'], queryFn: () => ({ valid: true, problems: [] }) }),
  workflowsQuery: () => ({ queryKey: ['workflows'], queryFn: () => ({ items: [] }) }),
}))
vi.mock('@/api/queries', async (original) => ({
  ...(await original<object>()),
  agentsQuery: () => ({ queryKey: ['agents'], queryFn: () => ({ items: [] }) }),
}))
vi.mock('./contracts', () => ({ useContracts: () => ({}) }))
vi.mock('./canvas', () => ({ Canvas: () => <SelectButton /> }))

function SelectButton() {
  const selection = useSelection()
  return <button onClick={() => selection.select({ node: 'out' })}>out</button>
}

const WORKFLOW = `{"name":"w","nodes":{"each":{"type":"map","over":"{{ input.list }}","agent":"a","concurrency":4},"out":{"type":"output"}},"edges":[]}`

function Page() {
  const draft = useNewDraft(WORKFLOW, parse(WORKFLOW))
  const [, set] = useState<Search>({})
  show = (next) => {
    search = next
    set(next)
  }
  return (
    <DraftProvider value={draft}>
      <UnreadProvider value={draft.unread.report}>
        <ReactFlowProvider>
          <Board own="w" />
        </ReactFlowProvider>
      </UnreadProvider>
    </DraftProvider>
  )
}

function open(readOnly = false) {
  search = { node: 'each' }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ReadOnlyProvider value={readOnly}>
        <Page />
      </ReadOnlyProvider>
    </QueryClientProvider>,
  )
}

const field = () => screen.getByLabelText<HTMLInputElement>('Concurrency')

it('is read-only without the right to save', async () => {
  open(true)
  expect(screen.queryByRole('complementary', { name: 'Palette' })).toBeNull()
  expect(field().closest('fieldset')?.disabled).toBe(true)
  await userEvent.click(screen.getByRole('button', { name: 'Close the inspector' }))
  expect(search.node).toBeUndefined()
  expect(screen.queryByText('How to draw')).toBeNull()
})

it('keeps the selection while a field of the inspector is invalid', async () => {
  open()
  const user = userEvent.setup()
  await user.clear(field())
  await user.type(field(), 'many')
  for (const name of ['out', 'Close the inspector', 'Add Check']) {
    await user.click(screen.getByRole('button', { name }))
    expect(field().value).toBe('many')
    expect(screen.getByRole('status').textContent).toContain('“many” is not a whole number')
    await user.click(screen.getByRole('button', { name: 'Close' }))
  }
  await user.type(screen.getByLabelText('Id'), '2')
  await user.tab()
  expect([search.node, field().value]).toEqual(['each', 'many'])
  await user.clear(field())
  await user.type(field(), '2')
  await user.click(screen.getByRole('button', { name: 'out' }))
  expect(search.node).toBe('out')
})
