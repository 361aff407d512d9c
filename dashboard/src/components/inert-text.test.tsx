import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { InertText } from './inert-text'

it('shows markup as text', () => {
  const { container } = render(<InertText text={'<img src=x onerror=alert(1)><script>1</script>'} />)
  expect(container.querySelectorAll('img, script')).toHaveLength(0)
  expect(container.textContent).toBe('<img src=x onerror=alert(1)><script>1</script>')
})

it('highlights a span', () => {
  const { container } = render(<InertText text={'{"a": 1}'} lit={{ start: 6, end: 7 }} />)
  expect(container.querySelector('mark')?.textContent).toBe('1')
})

it('truncates a long text and shows more of it', async () => {
  const { container } = render(<InertText text={'x'.repeat(300_000)} />)
  const length = () => container.querySelector('pre')?.textContent?.length
  expect(length()).toBe(20_000)
  await userEvent.click(screen.getByRole('button', { name: /Show more/ }))
  expect(length()).toBe(120_000)
})
