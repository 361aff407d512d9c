import { render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import type { Api } from '@/api'
import { AgentRow } from './agent-row'

vi.mock('@tanstack/react-router', () => ({ Link: ({ children }: { children: ReactNode }) => <a href="#x">{children}</a> }))

it('names invisible characters in untrusted text', () => {
  const agent = {
    name: 'a', description: 'd\u202e', type: 'autonomous', executor_type: 'llm', model: 'm\u202e', tags: ['t\u202e'], source: 'store', valid: true,
    has_parameters_schema: false, has_output_schema: false, problems: [],
  } as Api.AgentSummary
  render(<AgentRow agent={agent} />)
  for (const text of ['dU+202E', 'llm · mU+202E', 'tU+202E']) expect(screen.getByText(text)).toBeTruthy()
})
