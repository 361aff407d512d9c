import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { type JsonMap, parse } from '@/lib/lossless'
import { ContractOptions } from './contract-options'

function open(options: string) {
  const onChange = vi.fn<(options: JsonMap) => void>()
  render(<ContractOptions value={parse(options) as JsonMap} onChange={onChange} defaultRetries={2} />)
  return onChange
}

it('offers the sources from which a value can be extracted', async () => {
  const onChange = open('{"extract_json": ["fence"]}')
  const select = screen.getByLabelText<HTMLSelectElement>('Extract JSON from text')
  expect(select.selectedOptions[0]?.textContent).toBe('only from code fences')
  await userEvent.selectOptions(select, 'reject')
  expect(onChange.mock.lastCall?.[0].get('extract_json')).toBe(false)
  await userEvent.selectOptions(screen.getByLabelText('Value found in prose'), 'confirm: ask for it alone, costs a retry')
  expect(onChange.mock.lastCall?.[0].get('embedded')).toBe('confirm')
})

it('keeps a value that is not among the options', () => {
  open('{"extract_json": ["prose", "fence"]}')
  const select = screen.getByLabelText<HTMLSelectElement>('Extract JSON from text')
  expect(select.selectedOptions[0]?.textContent).toBe('["prose","fence"]')
})
