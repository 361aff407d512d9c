import { expect, it } from 'vitest'
import type { Api } from '@/api'
import { shownSteps } from './step-model'

const usage = { input_tokens: 12_000, output_tokens: 5, cost_usd: null }
const steps = (...bodies: object[]) =>
  bodies.map((body, index) => ({ number: index + 1, delivery: 1, at: '2026-01-01T00:00:00Z', body }) as Api.Step)

it('shows answers with their tool calls, results and verdicts', () => {
  const calls = [{ id: 'c1', name: 'run_command', arguments: '{"command": "ls"}' }]
  const shown = shownSteps(
    steps(
      { type: 'opened', facts: {} },
      { type: 'model_answer', text: '', calls, ending: 'finished', model: 'small', usage },
      { type: 'tool_started', call_id: 'c1' },
      { type: 'tool_result', call_id: 'c1', name: 'run_command', ok: false, text: 'exit 1' },
      { type: 'model_answer', text: '{\n  "a": 1', ending: 'truncated', model: 'small', usage },
      { type: 'verdict', delivery: 1, attempt: 1, outcome: 'parse_error' },
    ),
  )
  expect(shown.map(({ number, title, summary, tone }) => [number, title, summary, tone])).toEqual([
    [1, 'Started', '', 'neutral'],
    [2, 'Model answer', 'small · calls run_command', 'info'],
    [3, 'Tool started', 'run_command', 'neutral'],
    [4, 'Tool result', 'run_command · failed', 'warning'],
    [5, 'Model answer', 'small · cut off · { "a": 1', 'warning'],
    [6, 'Verdict', 'attempt 1', 'neutral'],
  ])
  expect(shown[1]).toMatchObject({
    usage: '12K in · 5 out',
    parts: [{ label: 'Call of run_command', text: '{"command": "ls"}' }],
  })
  expect(shown[3]?.parts).toEqual([{ label: 'Result', text: 'exit 1' }])
  expect(shown[5]?.outcome).toBe('parse_error')
})

it('shows the answer of a command and unknown steps', () => {
  const answer = { type: 'turn_answer', text: 'done', structured: '{"n": 1}', ending: 'finished', model: '', usage }
  expect(shownSteps(steps(answer, { type: 'new_kind' }))).toMatchObject([
    { title: 'Answer', summary: '{"n": 1}', parts: [{ label: 'Text' }, { label: 'Value', text: '{"n": 1}' }] },
    { title: 'new kind', summary: '', parts: [] },
  ])
})

it('shows what people answered', () => {
  const tool = { name: 'pay', arguments: { amount: 5 } }
  const asked = { type: 'input', input_id: 'inp_1', call_id: 'c1' }
  const shown = shownSteps(
    steps(
      { ...asked, purpose: 'approval', tool, answer: { approve: false, reason: 'too much' } },
      { ...asked, purpose: 'question', answer: { answer: 'blue' } },
      { ...asked, purpose: 'approval', tool },
    ),
  )
  expect(shown.map(({ title, summary, tone }) => [title, summary, tone])).toEqual([
    ['Input', 'approval of pay · denied', 'info'],
    ['Input', 'question · {"answer":"blue"}', 'info'],
    ['Input', 'approval of pay · nobody answered in time', 'warning'],
  ])
  expect(shown[1]?.parts).toEqual([{ label: 'Answer', text: '{\n  "answer": "blue"\n}' }])
})
