import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { Dialog } from './dialog'

const nothing = () => undefined

it('begins at the first field that takes something', async () => {
  const body = (
    <>
      <input aria-label="Form" type="radio" />
      <input aria-label="Fixed" disabled />
      <textarea aria-label="Prompt" />
    </>
  )
  const { rerender } = render(<Dialog open={false} onClose={nothing} title="Resume">{body}</Dialog>)
  rerender(<Dialog open onClose={nothing} title="Resume">{body}</Dialog>)
  await userEvent.setup().keyboard('go on')
  expect(screen.getByLabelText<HTMLTextAreaElement>('Prompt').value).toBe('go on')
})
