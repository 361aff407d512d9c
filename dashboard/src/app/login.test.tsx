import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { access } from '@/api/access'
import { Login } from './login'

it('takes no key that cannot be sent', async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Login reason="a key is needed" />
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  const field = screen.getByLabelText('API key')
  await user.type(field, 'accord_…{Enter}')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Sign in' }).disabled).toBe(true)
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(access.get().key).toBeNull()
  await user.clear(field)
  await user.type(field, ' accord_x {Enter}')
  expect(access.get().key).toBe('accord_x')
})
