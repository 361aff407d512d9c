import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ApiError } from '@/api'
import { Answer } from './states'

const query = (error: unknown) => ({ data: 'seen before', error, refetch: () => undefined })

it('keeps old data while the server is unreachable, but not after a 403', () => {
  const { rerender } = render(<Answer query={query(ApiError.unreachable())}>{(data) => data}</Answer>)
  expect(screen.getByText('seen before')).toBeTruthy()
  rerender(<Answer query={query(new ApiError('Forbidden', 'use one of an admin', 403))}>{(data) => data}</Answer>)
  expect(screen.queryByText('seen before')).toBeNull()
  expect(screen.getByRole('alert').textContent).toContain('use one of an admin')
  expect(screen.getByRole('button').textContent).toBe('Use another key')
})
