import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import { ApiError } from '@/api'
import { type JsonMap, fromPlain } from '@/lib/lossless'
import { type Workflow, createWorkflow, saveWorkflow } from './api'
import type { Draft } from './draft'
import { useSaving } from './use-saving'

vi.mock('@tanstack/react-router', () => ({ useNavigate: () => vi.fn() }))
vi.mock('./api', async (original) => ({
  ...(await original<object>()),
  createWorkflow: vi.fn(),
  saveWorkflow: vi.fn(),
}))

const DOCUMENT = fromPlain({ name: 'w', nodes: {}, edges: [] }) as JsonMap
const base = { document: DOCUMENT, view: { hash: 'one', summary: { name: 'w' } } } as unknown as Workflow
const draft = { dirty: true, mistake: null, unread: { problems: [] as string[] } } as unknown as Draft

function saving(gone: boolean) {
  const client = new QueryClient()
  const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>
  return renderHook((now: { gone: boolean }) => useSaving({ draft, base, setBase: () => undefined, stored: base, gone: now.gone }), {
    wrapper,
    initialProps: { gone },
  })
}

it('reports every failure', async () => {
  vi.mocked(saveWorkflow).mockRejectedValue(new ApiError('PreconditionFailed', 'it is not the one that was seen', 412))
  const { result, rerender } = saving(false)
  act(() => result.current.save.mutate(DOCUMENT))
  await waitFor(() => expect(result.current.refusal?.message).toBe('it is not the one that was seen'))
  rerender({ gone: true })
  // The page already shows that it was deleted.
  expect([result.current.gone, result.current.refusal]).toEqual([true, null])
})

it('creates a deleted workflow again', async () => {
  vi.mocked(createWorkflow).mockResolvedValue(base)
  const { result } = saving(true)
  act(() => result.current.save.mutate(DOCUMENT))
  await waitFor(() => expect(result.current.save.isSuccess).toBe(true))
  expect(vi.mocked(createWorkflow)).toHaveBeenCalledOnce()
})

it('hides an error after the document has changed', async () => {
  vi.mocked(saveWorkflow).mockRejectedValue(new ApiError('InvalidWorkflow', 'it has mistakes', 400))
  const client = new QueryClient()
  const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>
  const { result, rerender } = renderHook(
    (document: JsonMap) => useSaving({ draft: { ...draft, document }, base, setBase: () => undefined, stored: base, gone: false }),
    { wrapper, initialProps: DOCUMENT },
  )
  act(() => result.current.save.mutate(DOCUMENT))
  await waitFor(() => expect(result.current.refusal?.message).toBe('it has mistakes'))
  rerender(new Map(DOCUMENT))
  expect(result.current.refusal).toBeNull()
})
