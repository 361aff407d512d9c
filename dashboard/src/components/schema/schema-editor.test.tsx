import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { UnreadProvider, useUnread } from '@/components/unread'
import { type Json, parse } from '@/lib/lossless'
import { SchemaEditor } from './schema-editor'

vi.mock('./api', () => ({ schemaReportQuery: () => ({ queryKey: ['report'], queryFn: () => ({ valid: true, problems: [], lint: [], lowering: [] }) }) }))
vi.mock('./code', () => ({ SchemaCode: () => <p>The code</p> }))

function Page() {
  const [value, setValue] = useState<Json>(() => parse('{"type":"object","properties":{"a":true}}'))
  const unread = useUnread()
  return (
    <QueryClientProvider client={new QueryClient()}>
      <UnreadProvider value={unread.report}>
        <SchemaEditor name="the output" value={value} onChange={setValue} preview={false} />
      </UnreadProvider>
      <output aria-label="Problems">{unread.problems.join('|')}</output>
    </QueryClientProvider>
  )
}

it('stays in its view as long as that cannot be read', async () => {
  render(<Page />)
  const user = userEvent.setup()
  await user.clear(screen.getByLabelText('Name'))
  expect(screen.getByLabelText('Problems').textContent).toBe('A field needs a name')
  await user.click(screen.getByRole('radio', { name: 'Code' }))
  await user.type(screen.getByLabelText('Name'), 'b')
  expect(screen.getByLabelText('Problems').textContent).toBe('')
  await user.click(screen.getByRole('radio', { name: 'Code' }))
  expect(await screen.findByText('The code')).toBeTruthy()
})
