import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { UnreadProvider, useUnread } from '@/components/unread'
import { type Json, parse } from '@/lib/lossless'
import { SchemaEditor } from './schema-editor'

vi.mock('./api', () => ({ schemaReportQuery: () => ({ queryKey: ['report'], queryFn: () => ({ valid: true, problems: [], lint: [], lowering: [] }) }) }))
vi.mock('@/components/code', () => ({
  CodeEditor: ({ value, onChange, label }: { value: string; onChange: (text: string) => void; label: string }) => (
    <textarea aria-label={label} value={value} onChange={(event) => onChange(event.target.value)} />
  ),
}))

function Page({ schema = '{"type":"object","properties":{"a":true}}', single = false }) {
  const [value, setValue] = useState<Json>(() => parse(schema))
  const unread = useUnread()
  return (
    <QueryClientProvider client={new QueryClient()}>
      <UnreadProvider value={unread.report}>
        <SchemaEditor name="the output" value={value} onChange={setValue} preview={false} single={single} />
      </UnreadProvider>
      <output aria-label="Problems">{unread.problems.join('|')}</output>
    </QueryClientProvider>
  )
}

it('does not switch views while the input is invalid', async () => {
  render(<Page />)
  const user = userEvent.setup()
  await user.clear(screen.getByLabelText('Name'))
  expect(screen.getByLabelText('Problems').textContent).toBe('A field needs a name')
  await user.click(screen.getByRole('radio', { name: 'Code' }))
  await user.type(screen.getByLabelText('Name'), 'b')
  expect(screen.getByLabelText('Problems').textContent).toBe('')
  await user.click(screen.getByRole('radio', { name: 'Code' }))
  expect(await screen.findByLabelText('Schema of the output')).toBeTruthy()
})

it('does not call an unparsable text valid', async () => {
  render(<Page />)
  const user = userEvent.setup()
  await user.click(screen.getByRole('radio', { name: 'Code' }))
  const code = await screen.findByLabelText('Schema of the output')
  await screen.findByText('Valid schema')
  await user.type(code, '{Backspace}{Backspace}')
  expect(screen.queryByText('Valid schema')).toBeNull()
  expect(screen.getByText('Syntax error')).toBeTruthy()
  await user.type(code, '}')
  expect(await screen.findByText('Valid schema')).toBeTruthy()
})

it('offers the code editor for a schema with thousands of fields', async () => {
  const fields = Array.from({ length: 3_000 }, (_, index) => `"f${index}":{"type":"string"}`).join(',')
  render(<Page schema={`{"type":"object","properties":{${fields}}}`} />)
  expect(screen.getByText(/This schema has 3,000 fields/)).toBeTruthy()
  await userEvent.setup().click(screen.getByRole('button', { name: 'Edit as code' }))
  expect(await screen.findByLabelText('Schema of the output')).toBeTruthy()
})

it('does not offer a list for an input', () => {
  render(<Page single />)
  expect(screen.queryByRole('radio', { name: 'List of items' })).toBeNull()
})
