import { describe, expect, it } from 'vitest'
import { ApiError } from '@/api'
import { fromPlain, write, type JsonMap } from '@/lib/lossless'
import { fieldErrors } from '@/components/schema-form/refusal'
import { readRun, requestOf, verdictOf } from './model'

describe('the request', () => {
  const base = { agentName: 'a', parameters: fromPlain({ prompt: 'p' }), model: ' ' }

  it('contains only what is set', () => {
    expect(write(requestOf({ ...base, contract: { kind: 'none' } }))).toBe('{"agent_name":"a","parameters":{"prompt":"p"}}')
  })

  it('carries the contract and its options', () => {
    const options = fromPlain({ max_retries: 0 }) as JsonMap
    expect(write(requestOf({ ...base, model: 'm', contract: { kind: 'inline', schema: true, options } }))).toBe(
      '{"agent_name":"a","parameters":{"prompt":"p"},"output_schema":true,"output_schema_options":{"max_retries":0},"model":"m"}',
    )
    expect(write(requestOf({ ...base, contract: { kind: 'registry', name: 's', options: new Map() } }))).toContain(
      '"output_schema_name":"s"}',
    )
  })
})

it('reads field errors only from validation errors', () => {
  const details = { errors: [{ path: '$.a', message: 'm' }] }
  expect(fieldErrors(new ApiError('ParameterValidationFailed', 'x', 400, details))).toEqual(details.errors)
  expect(fieldErrors(new ApiError('InvalidRequest', 'x', 400, details))).toEqual([])
  expect(fieldErrors(null)).toEqual([])
})

const run = (more: string) => readRun(`{"run_id":"run_1","usage":{},"contract":{"max_retries":1},${more}}`)

it('keeps the digits of a result', () => {
  const { result } = run('"status":"completed","result":{"result_text":null,"result_data":{"n":12345678901234567890}}')
  expect(result && write(result.value)).toBe('{"n":12345678901234567890}')
  expect(run('"status":"completed","result":{"result_text":"t","result_data":null}').result).toEqual({ json: false, value: 't' })
})

it('reports whether the output matched the contract', () => {
  const completed = run('"status":"completed","result":{"schema_validation":{"retry_count":1}}')
  expect(verdictOf(completed.run)).toMatchObject({ title: 'Output Schema: Valid', detail: 'accepted after 1 retry' })
  const error = '"error":{"type":"output_schema_validation_failed","message":"m","attempts":2,"validation_errors":["$.a: no"]}'
  expect(verdictOf(run(`"status":"failed",${error}`).run)).toEqual({
    tone: 'danger', title: 'Output Schema: Validation Failed', detail: 'Retry attempts: 1/1 exhausted', errors: ['$.a: no'],
  })
  expect(verdictOf(run('"status":"running"').run)).toBeNull()
  expect(verdictOf(run('"status":"failed","error":{"type":"timed_out","message":"m"}').run)?.title).toBe('timed_out')
})
