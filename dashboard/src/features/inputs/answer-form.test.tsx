import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { ApiError } from '@/api'
import { type Json, write } from '@/lib/lossless'
import { AnswerForm } from './answer-form'
import { readRequest } from './model'

const TICKET = {
  type: 'object',
  required: ['severity', 'owner'],
  properties: {
    severity: { enum: ['low', 'high'] },
    owner: { type: 'object', required: ['name'], properties: { name: { type: 'string', description: 'Who takes it' } } },
    points: { type: 'integer' },
  },
  additionalProperties: false,
}

const refusal = (...errors: object[]) => new ApiError('ContractViolation', 'the answer does not conform', 422, { errors })

function show(request: object) {
  const sent: (string | undefined)[] = []
  let refuse: (error: Error) => void = () => undefined
  const read = readRequest(JSON.stringify({ id: 'inp_1', purpose: 'task', message: 'Do it', schema: TICKET, ...request }))
  function Page() {
    const [error, setError] = useState<Error | null>(null)
    refuse = setError
    const onSend = (answer: Json | undefined) => void sent.push(answer === undefined ? undefined : write(answer))
    return <AnswerForm request={read} pending={false} error={error} onSend={onSend} />
  }
  render(<Page />)
  return { user: userEvent.setup(), sent, refuse: (error: Error) => act(() => refuse(error)) }
}

const send = () => screen.getByRole('button', { name: 'Send answer' })
const describedBy = (label: string | RegExp) =>
  document.getElementById(screen.getByLabelText(label).getAttribute('aria-describedby') ?? '')?.textContent

it('sends the answer, shows errors at their fields and focuses the first one', async () => {
  const { user, sent, refuse } = show({})
  expect(describedBy('name')).toBe('Who takes it')
  await user.type(screen.getByLabelText(/^points/), '12345678901234567890')
  await user.click(send())
  expect(sent).toEqual(['{"owner":{},"points":12345678901234567890}'])
  refuse(
    refusal(
      { path: '$', pointer: '', keyword: 'required', message: "missing required property 'severity'" },
      { path: '$.owner', pointer: '/owner', keyword: 'required', message: "missing required property 'name'" },
      { path: '$.points', pointer: '/points', keyword: 'maximum', message: 'too large' },
    ),
  )
  expect([describedBy('severity'), describedBy('name'), describedBy(/^points/)]).toEqual(['Required', 'Required', 'too large'])
  expect(document.activeElement).toBe(screen.getByLabelText('severity'))
  await user.selectOptions(screen.getByLabelText('severity'), 'high')
  await user.type(screen.getByLabelText('name'), 'Ada')
  await user.clear(screen.getByLabelText(/^points/))
  await user.click(send())
  expect(sent[1]).toBe('{"owner":{"name":"Ada"},"severity":"high"}')
})

it('starts a correction with the value and its errors, and can remove undeclared properties', async () => {
  const { user, sent } = show({
    purpose: 'correction',
    default: { severity: 'urgent', owner: { name: 'Ada' }, color: 'red' },
    errors: [
      { path: '$.severity', pointer: '/severity', keyword: 'enum', message: 'expected "low" or "high"' },
      { path: '$.color', pointer: '/color', keyword: 'additionalProperties', message: 'unexpected property' },
    ],
  })
  expect(describedBy('severity')).toBe('expected "low" or "high"')
  expect(describedBy(/^color/)).toBe('unexpected property')
  expect(screen.getByRole<HTMLOptionElement>('option', { name: 'urgent (not allowed)' }).selected).toBe(true)
  await user.selectOptions(screen.getByLabelText('severity'), 'low')
  await user.click(screen.getByRole('button', { name: 'Remove color' }))
  await user.click(send())
  expect(sent).toEqual(['{"severity":"low","owner":{"name":"Ada"}}'])
})

it('accepts an answer that is not an object, and any answer as JSON', async () => {
  const { user, sent, refuse } = show({ schema: { type: 'string', minLength: 1 } })
  await user.type(screen.getByLabelText('Answer'), 'blue')
  await user.click(send())
  refuse(refusal({ path: '$', pointer: '', keyword: 'pattern', message: 'not a color' }))
  expect(describedBy('Answer')).toBe('not a color')
  expect(screen.getAllByText('not a color')).toHaveLength(1)
  await user.click(screen.getByRole('radio', { name: 'JSON' }))
  const json = screen.getByLabelText('Answer as JSON')
  expect(describedBy('Answer as JSON')).toBe('$: not a color')
  await user.clear(json)
  await user.type(json, '5')
  await user.click(send())
  expect(sent).toEqual(['"blue"', '5'])
})

it('approves or denies with one click, with a reason if there is one', async () => {
  const { user, sent } = show({ purpose: 'approval', tool: { name: 'pay', arguments: {} } })
  await user.click(screen.getByRole('button', { name: 'Approve' }))
  await user.type(screen.getByLabelText(/^Reason/), 'too much')
  await user.click(screen.getByRole('button', { name: 'Deny' }))
  expect(sent).toEqual(['{"approve":true}', '{"approve":false,"reason":"too much"}'])
})

it('shows why an answer was rejected if the error has no field', () => {
  const { refuse } = show({})
  refuse(new ApiError('Unreachable', 'cannot reach the server', 0))
  expect(screen.getByRole('alert').textContent).toBe('cannot reach the server')
})
