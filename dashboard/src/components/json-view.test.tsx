import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { JsonView } from './json-view'

it('keeps the digits of numbers and can be collapsed', async () => {
  render(<JsonView text={'{"n": 1.0, "list": ["a", null, true]}'} />)
  expect(screen.getByText('1.0')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: /list/ }))
  expect(screen.queryByText('null')).toBeNull()
})

it('shows a long list in steps', async () => {
  render(<JsonView text={JSON.stringify(Array.from({ length: 250 }, (_, index) => `item ${index}`))} />)
  expect(screen.queryByText('“item 150”')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: /Show more \(150 hidden\)/ }))
  expect(screen.getByText('“item 150”')).toBeDefined()
})

it('shows other text unchanged', () => {
  const { container } = render(<JsonView text="not json" />)
  expect(container.textContent).toBe('not json')
})
