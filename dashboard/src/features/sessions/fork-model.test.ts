import { expect, it } from 'vitest'
import type { Api } from '@/api'
import { write } from '@/lib/lossless'
import { forkForm, forkRequest, acceptsSchema } from './fork-model'

const text = '{"model": "small", "contract": {"schema": {"maximum": 1.10}}}'
const run = { model: 'small', contract_origin: 'caller' } as Api.RunView
const before = forkForm(run, text, 'You sort.')
const sent = (changes: Partial<typeof before>) => write(forkRequest(3, before, { ...before, ...changes }))

it('starts with the values of the run', () => {
  expect(before).toEqual({ model: 'small', systemPrompt: 'You sort.', schema: '{\n  "maximum": 1.10\n}' })
  expect(forkForm({} as Api.RunView, '{"contract": null}', '')).toEqual({ model: '', systemPrompt: '', schema: '' })
})

it('sends only changes, with the digits of numbers', () => {
  expect(sent({})).toBe('{"from_step":3}')
  expect(sent({ model: ' large ' })).toBe('{"from_step":3,"model":"large"}')
  expect(sent({ model: '' })).toBe('{"from_step":3}')
  expect(sent({ systemPrompt: '' })).toBe('{"from_step":3,"system_prompt":""}')
  expect(sent({ schema: '{"maximum":1.10}' })).toBe('{"from_step":3}')
  expect(sent({ schema: '{"maximum": 2.50}' })).toBe('{"from_step":3,"output_schema":{"maximum":2.50}}')
  expect(() => sent({ schema: '{' })).toThrow()
})

it('replaces only contracts that the agent does not define', () => {
  const origins: (Api.Origin | undefined)[] = ['blueprint', 'caller', 'default', undefined]
  expect(origins.map((contract_origin) => acceptsSchema({ contract_origin } as Api.RunView))).toEqual([false, true, true, true])
})
