import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { Dialog } from './dialog'

const noop = () => undefined

it('focuses the first field that accepts text', async () => {
  const body = (
    <>
      <input aria-label="Form" type="radio" />
      <input aria-label="Fixed" disabled />
      <textarea aria-label="Prompt" />
    </>
  )
  const { rerender } = render(<Dialog open={false} onClose={noop} title="Resume">{body}</Dialog>)
  rerender(<Dialog open onClose={noop} title="Resume">{body}</Dialog>)
  await userEvent.setup().keyboard('go on')
  expect(screen.getByLabelText<HTMLTextAreaElement>('Prompt').value).toBe('go on')
})
