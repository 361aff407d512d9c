import { render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import type { Api } from '@/api'
import { Children } from './family'

vi.mock('@tanstack/react-router', () => ({ Link: ({ children }: { children: ReactNode }) => <a href="#x">{children}</a> }))

const child = { session_id: 'ses_1', agent_name: 'a', status: 'idle', created_at: '2026-01-01T00:00:00Z' } as Api.SessionView

it('shows that there are more children', () => {
  const { rerender } = render(<Children parent="ses_0" page={{ items: [child], next_cursor: 'c' }} />)
  expect(screen.getByText(/Showing the newest 1/)).toBeTruthy()
  rerender(<Children parent="ses_0" page={{ items: [child], next_cursor: null }} />)
  expect(screen.queryByText(/there are more/)).toBeNull()
})
