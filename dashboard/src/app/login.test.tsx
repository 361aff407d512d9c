import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { access } from '@/api/access'
import { Login } from './login'

afterEach(() => vi.unstubAllGlobals())

it('rejects a key with invalid characters', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ role: 'admin', key_required: true }))
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
  await vi.waitFor(() => expect(access.get()).toMatchObject({ key: 'accord_x', role: 'admin' }))
})

it('rejects a runner key', async () => {
  access.set({ key: null, role: null, loginReason: 'a key is needed', signedOut: false })
  vi.stubGlobal('fetch', async () => Response.json({ role: 'runner', key_required: true }))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Login reason="a key is needed" />
    </QueryClientProvider>,
  )
  await userEvent.setup().type(screen.getByLabelText('API key'), 'accord_x{Enter}')
  await screen.findByText(/a runner key, which cannot open/)
  expect(access.get().key).toBeNull()
})
