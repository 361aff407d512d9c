import { expect, it } from 'vitest'
import type { Api } from '@/api'
import type { SessionEvent } from '@/api/events'
import { heldOf, resultTextOf, retriesOf, acceptsPrompt, timelineOf, verdictOf, requiredRunner, startOfRunIn, firstRunOf } from './model'

const run = (more: Partial<Api.RunView>): Api.RunView => ({
  run_id: 'run_1', session_id: 'ses_1', type: 'start_session', agent_name: 'a', status: 'running', execution_mode: 'sync',
  demands: {}, priority: 0, attempt: 1, retry_count: 0, runner_id: null, usage: { input_tokens: 0, output_tokens: 0 },
  created_at: '2026-01-01T00:00:00Z', ...more,
})
const contract = { contract: { max_retries: 1 }, contract_origin: 'blueprint' as const }

it('reports a contract failure with exhausted retries', () => {
  const failed = run({
    ...contract,
    status: 'failed',
    error: {
      type: 'output_schema_validation_failed', message: 'm', validation_errors: ['$.a: wrong'], last_output: null, attempts: 2,
    },
  })
  expect(verdictOf(failed, undefined)).toEqual({
    tone: 'danger',
    title: 'Output Schema: Validation Failed',
    retries: 'Retry attempts: 1/1 exhausted',
    errors: ['$.a: wrong'],
  })
})

it('reports a valid output and the number of retries', () => {
  const validation = { valid: true, schema_hash: 'h', retry_count: 1, strategy: 'native' as const, repairs: [], attempts: 2 }
  const completed = run({
    ...contract, status: 'completed', result: { result_text: null, result_data: {}, schema_validation: validation },
  })
  expect(verdictOf(completed, undefined)).toMatchObject({ title: 'Output Schema: Valid', retries: 'Accepted after 1 retry' })
})

it('does not report other failures as contract failures', () => {
  const failed = run({ ...contract, status: 'failed', error: { type: 'timed_out', message: 'm' } })
  expect(verdictOf(failed, [])?.title).toBe('Output Schema: not validated')
  expect(verdictOf(failed, undefined)).toBeNull()
  expect(verdictOf(run({}), undefined)).toBeNull()
})

it('reports rejected answers of a run that ended for another reason', () => {
  const attempt = (outcome: Api.Outcome) => ({ outcome }) as Api.Attempt
  const error = { type: 'budget_exhausted' as const, message: 'm', validation_errors: ['$.a: wrong'], attempts: 1 }
  const failed = run({ ...contract, status: 'failed', error })
  expect(verdictOf(failed, [attempt('schema_invalid'), attempt('budget_exhausted')])).toEqual({
    tone: 'danger',
    title: 'Output Schema: not met',
    retries: '1 answer did not conform',
    errors: ['$.a: wrong'],
  })
  const stopped = run({ ...contract, status: 'stopped' })
  expect(verdictOf(stopped, [attempt('no_json'), attempt('truncated')])?.retries).toBe('2 answers did not conform')
  expect(verdictOf(stopped, [attempt('stopped')])?.title).toBe('Output Schema: not validated')
})

it('counts retries', () => {
  expect(retriesOf(2, 1)).toBe('Retry attempts: 1/1 exhausted')
  expect(retriesOf(1, 2)).toBe('Retry attempts: 0/2')
  expect(retriesOf(null, 2)).toBeNull()
})

it('merges a tool call and its result into one entry', () => {
  const event = (id: number, more: object) =>
    ({ id, at: '2026-01-01T00:00:00Z', session_id: 'ses_1', run_id: 'run_1', written: null, ...more }) as unknown as SessionEvent
  const entries = timelineOf([
    event(1, { type: 'run.started' }),
    event(2, { type: 'tool.started', call_id: 'c', name: 'read_file', written: '{"n": 1.10}' }),
    event(3, { type: 'message', role: 'assistant', text: 'hm' }),
    event(4, { type: 'tool.finished', call_id: 'c', name: 'read_file', ok: true, output: 'text' }),
    event(5, { type: 'something.new' }),
    event(6, { type: 'request.repeated', reason: 'status 429', milliseconds: 4000 }),
  ])
  expect(entries.map((entry) => [entry.key, entry.kind])).toEqual([
    ['1', 'state'],
    ['2', 'tool'],
    ['3', 'message'],
    ['5', 'state'],
    ['6', 'state'],
  ])
  expect(entries[4]).toMatchObject({ label: 'Request repeated', detail: 'status 429 (in 4.0 s)', tone: 'warning' })
  expect(entries[1]).toMatchObject({ ok: true, arguments: '{"n": 1.10}', output: 'text' })
})

it('keeps the text of a result', () => {
  expect(resultTextOf('{"result": {"result_text": null, "result_data": {"n": 1.10}}}')).toEqual({
    json: true,
    text: '{"n": 1.10}',
  })
  expect(resultTextOf('{"result": {"result_text": "a\\nb", "result_data": null}}')).toEqual({ json: false, text: 'a\nb' })
  expect(resultTextOf('{"status": "running"}')).toBeNull()
})

it('detects schemas that cannot accept a prompt', () => {
  const prompt = { type: ['string', 'null'] }
  const accepting = [true, {}, { properties: { text: {} } }, { required: ['prompt'], properties: { prompt }, additionalProperties: false }]
  const rejecting = [false, { required: ['text'] }, { additionalProperties: false }, { properties: { prompt: { type: 'integer' } } }]
  expect([accepting, rejecting].map((schemas) => schemas.map(acceptsPrompt))).toEqual([[true, true, true, true], [false, false, false, false]])
})

it('groups undelivered child results by reason', () => {
  const owed = (child: string, held: Api.HeldReason | null, message: string | null) => ({ session_id: child, run_id: 'r', since: '', held, message })
  const undelivered_callbacks = [owed('a', 'parent_failed', 'resume it'), owed('b', null, null), owed('c', 'parent_failed', 'resume it')]
  expect(heldOf({ undelivered_callbacks } as unknown as Api.SessionView)).toEqual([{ message: 'resume it', children: ['a', 'c'] }])
  expect(heldOf({} as Api.SessionView)).toEqual([])
  const event = { id: 1, at: '', type: 'callback.held', children: ['a', 'c'], reason: 'parent_failed', message: 'resume it', written: null }
  expect(timelineOf([event as unknown as SessionEvent])[0]).toMatchObject({
    label: 'Child results not delivered', detail: '2 children: resume it', tone: 'warning',
  })
})

it('describes the runner that a run requires', () => {
  expect([requiredRunner({}), requiredRunner({ executor_type: 'llm', tags: ['gpu', 'eu'], hostname: 'h', project_dir: '/p' })]).toEqual([
    'a runner',
    'a runner with llm · host h · folder /p · tags gpu, eu',
  ])
})

it('runs again from the selected run, or from the first run of a resumed session', () => {
  const runs = [
    { run_id: 'run_2', type: 'resume_session' as const },
    { run_id: 'run_1', type: 'start_session' as const },
  ]
  expect(firstRunOf(runs, 'run_2')).toBe('run_1')
  expect(firstRunOf(runs, 'run_1')).toBe('run_1')
  expect(firstRunOf([], 'run_9')).toBe('run_9')
})

it('finds the start of a resuming run in the timeline', () => {
  const events = [{ id: 'e1', run_id: null }, { id: 'e2', run_id: 'run_1' }, { id: 'e3', run_id: 'run_2' }, { id: 'e4', run_id: 'run_2' }]
  expect([startOfRunIn(events, 'run_2'), startOfRunIn(events, 'run_1'), startOfRunIn(events, 'run_3')]).toEqual(['e3', null, null])
})

it('shows a stopped run in the colour of its status', () => {
  const [entry] = timelineOf([{ id: 'e', at: '2026-01-01T00:00:00Z', run_id: 'run_1', type: 'run.stopped', written: null } as SessionEvent])
  expect(entry).toMatchObject({ label: 'Run stopped', tone: 'neutral' })
})
