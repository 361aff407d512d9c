import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { access, askForKey, presentKey } from '@/api/access'
import { LeaveGuard } from '@/components/editing'
import { Answer } from '@/components/states'
import { Shell } from './shell'

vi.mock('@/api/live', async () => ({
  useLiveUpdates: () => undefined,
  connection: (await import('@/lib/observable')).observable('live'),
}))
vi.mock('@tanstack/react-router', () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="#x">{children}</a>,
  Outlet: () => <Edited />,
  useBlocker: () => ({ status: 'idle' }),
  useRouterState: () => '/agents/a',
}))

/** A minimal editor: the stored value comes from the server, the typed text is only in the page. */
function Edited() {
  const query = useQuery({ queryKey: ['stored'], queryFn: () => 'stored' })
  return (
    <Answer query={query}>
      {(stored) => (
        <>
          <input aria-label="Description" defaultValue={stored} />
          <LeaveGuard changed />
        </>
      )}
    </Answer>
  )
}

const KEYS: Record<string, [status: number, answer: object]> = {
  accord_wrong: [401, { error: 'Unauthorized', message: 'invalid API key; it may have been revoked' }],
  accord_viewer: [200, { role: 'viewer', key_required: true }],
}

beforeEach(() => {
  vi.stubGlobal('fetch', async (_path: string, { headers }: { headers: { authorization: string } }) => {
    const [status, answer] = KEYS[headers.authorization.replace('Bearer ', '')] ?? [200, { role: 'admin', key_required: true }]
    return Response.json(answer, { status })
  })
  presentKey('accord_first', 'admin')
})
afterEach(() => {
  vi.unstubAllGlobals()
  access.set({ key: null, role: null, loginReason: null, signedOut: false })
})

async function open() {
  const user = userEvent.setup()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Shell />
    </QueryClientProvider>,
  )
  await user.type(await screen.findByLabelText('Description'), ' and typed')
  return user
}

const typed = () => screen.queryByLabelText<HTMLInputElement>('Description')?.value
const covered = () => screen.getByLabelText('Description').closest('[inert]') !== null

it('keeps typed text below the login dialog when the key is revoked', async () => {
  const user = await open()
  act(() => askForKey('the key is not known any more', 'accord_first'))
  expect([typed(), covered()]).toEqual(['stored and typed', true])
  expect(screen.getByText(/unsaved changes are still in the page/)).toBeTruthy()
  await user.type(screen.getByLabelText('API key'), 'accord_wrong{Enter}')
  await screen.findByText(/invalid API key/)
  expect(covered()).toBe(true)
  await user.clear(screen.getByLabelText('API key'))
  await user.type(screen.getByLabelText('API key'), 'accord_viewer{Enter}')
  await vi.waitFor(() => expect(screen.queryByLabelText('API key')).toBeNull())
  expect([typed(), covered()]).toEqual(['stored and typed', false])
  expect(access.get()).toMatchObject({ key: 'accord_viewer', role: 'viewer' })
})

it('asks before signing out with unsaved changes', async () => {
  const user = await open()
  await user.click(screen.getByRole('button', { name: 'Sign out' }))
  expect(access.get().key).toBe('accord_first')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(typed()).toBe('stored and typed')
  await user.click(screen.getByRole('button', { name: 'Sign out' }))
  const [, confirm] = screen.getAllByRole('button', { name: 'Sign out' })
  await user.click(confirm as HTMLElement)
  expect([access.get().key, typed()]).toEqual([null, undefined])
  expect(screen.getByLabelText('API key')).toBeTruthy()
})
