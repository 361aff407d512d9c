/** Steps of a run, forking from a step, retrying a run, and runs that wait for their children. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, seen, violations } from './support/browser'
import { type ScriptedModel, agentOf, startModel } from './support/model'
import { type Accord, startAccord } from './support/server'

let accord: Accord
let model: ScriptedModel
let browser: Browser

interface Run {
  run_id: string
  session_id: string
  model: string
  status: string
}

const SEVERITY = {
  type: 'object',
  required: ['severity'],
  properties: { severity: { enum: ['low', 'high'] } },
  additionalProperties: false,
}

const post = <T>(path: string, body: object) => accord.ask<T>(path, { method: 'POST', body: JSON.stringify(body) })

beforeAll(async () => {
  accord = await startAccord({ examples: false })
  model = await startModel()
  browser = await launch()
  await accord.agent('triage', agentOf('triage', model.baseUrl))
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
  await model?.close()
})

it('shows the steps of a run, and runs it again from one of them', async () => {
  model.say('{"severity": "urgent"}', '{"severity": "low"}')
  const run = await post<Run>('/runs?wait=20', { agent_name: 'triage', prompt: 'Sort it', output_schema: SEVERITY })
  expect(run.status).toBe('completed')
  const { page, complaints } = await open(browser, `${accord.url}/ui/sessions/${run.session_id}`)
  await page.getByRole('tab', { name: 'Steps' }).click()
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem')
  const answer = steps.filter({ hasText: 'Model answer' }).first()
  await answer.waitFor()
  expect(await steps.filter({ hasText: 'Verdict' }).count()).toBe(2)
  await steps.filter({ hasText: 'Accepted' }).waitFor()
  await answer.getByRole('button', { expanded: false }).click()
  await answer.getByRole('button', { expanded: true }).waitFor()
  await answer.getByText('{"severity": "urgent"}', { exact: true }).waitFor()
  expect(await violations(page)).toEqual([])

  const rejected = steps.filter({ hasText: 'Schema mismatch' })
  await rejected.getByRole('button', { name: /^Run again from here/ }).click()
  const dialog = page.getByRole('dialog', { name: /^Run again from step \d+$/ })
  await expect.poll(() => dialog.getByLabel('System prompt').inputValue()).toBe('Answer.')
  expect(await dialog.getByLabel('Model').inputValue()).toBe('scripted')
  expect(await dialog.getByLabel('Output schema').inputValue()).toContain('"severity"')
  expect(await violations(page)).toEqual([])
  await dialog.getByLabel('Model').fill('larger')
  await dialog.getByLabel('Output schema').fill('{')
  await dialog.getByRole('button', { name: 'Run again from here' }).click()
  await dialog.getByText(/JSON/).first().waitFor()
  await dialog.getByLabel('Output schema').fill(JSON.stringify({ ...SEVERITY, properties: { severity: { enum: ['grave'] } } }))
  model.say('{"severity": "grave"}')
  await dialog.getByRole('button', { name: 'Run again from here' }).click()
  await page.waitForURL((url) => !url.pathname.includes(run.session_id))
  await page.getByRole('tab', { name: 'Result' }).click()
  await seen(page, 'grave')
  const forked = await accord.ask<Run>(`/runs/${new URL(page.url()).searchParams.get('run')}`)
  expect(forked).toMatchObject({ status: 'completed', result: { result_data: { severity: 'grave' } } })
  expect(await accord.ask(`/runs/${run.run_id}`)).toMatchObject({ result: { result_data: { severity: 'low' } } })
  expect(complaints).toEqual([])
  await page.close()
})

it('runs a finished run again, with another model', async () => {
  model.say('{"severity": "low"}')
  const run = await post<Run>('/runs?wait=20', { agent_name: 'triage', prompt: 'Again', output_schema: SEVERITY })
  const { page, complaints } = await open(browser, `${accord.url}/ui/sessions/${run.session_id}`)
  await page.getByRole('button', { name: 'Run again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Run again' })
  await dialog.getByLabel('Model').fill('larger')
  expect(await violations(page)).toEqual([])
  model.say('{"severity": "high"}')
  await dialog.getByRole('button', { name: 'Run again' }).click()
  await page.waitForURL((url) => !url.pathname.includes(run.session_id))
  await seen(page, 'Run completed')
  const sessions = await accord.ask<{ items: { input_preview: string }[] }>('/sessions?q=Again')
  expect(sessions.items.map(({ input_preview }) => input_preview)).toEqual(['Again', 'Again'])
  // The form starts with the same input.
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.getByRole('link', { name: 'Edit the input' }).click()
  await expect.poll(() => page.getByLabel('prompt').inputValue()).toBe('Again')
  expect(complaints).toEqual([])
  await page.close()
})

it('shows that a run waits for its children, and for how long', async () => {
  // This test acts as a runner. Its run waits for a child that never finishes.
  const { runner_id } = await post<{ runner_id: string }>('/runner/register', {
    profile: { executor_types: ['llm'], tags: ['by-hand'] },
  })
  const additional_demands = { tags: ['by-hand'] }
  const parent = await post<Run>('/runs', { agent_name: 'triage', prompt: 'Lead', output_schema: SEVERITY, additional_demands })
  const child = await post<Run>('/runs', {
    agent_name: 'triage', prompt: 'Follow', parent_session_id: parent.session_id, execution_mode: 'async_callback',
  })
  const claims = await post<{ runs: { run_id: string; lease_id: string; attempt: number }[] }>('/runner/claims', { runner_id, max: 1, wait_seconds: 5 })
  const claimed = claims.runs[0]
  expect(claimed?.run_id).toBe(parent.run_id)
  const holding = { runner_id, lease_id: claimed?.lease_id, attempt: claimed?.attempt }
  const attempt = {
    number: 1, delivery: 1, at: '2026-01-01T00:00:00Z', strategy: 'prompt', model: 'scripted', outcome: 'no_json', duration_ms: 1,
    usage: { input_tokens: 1, output_tokens: 1 }, text: 'I wait.',
  }
  const judged = await post(`/runner/runs/${parent.run_id}/attempts`, { holding, attempts: [attempt], step: 1 })
  expect(judged).toEqual({ waiting: true })
  await post(`/runner/runs/${parent.run_id}/finish`, { holding, status: 'waiting' })

  const { page, complaints } = await open(browser, `${accord.url}/ui/sessions/${parent.session_id}`)
  await seen(page, /^Waiting for 1 child session until .+\.$/)
  await page.getByRole('heading', { level: 1 }).getByText('Waiting').waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('status').getByRole('link', { name: 'triage' }).click()
  await page.waitForURL((url) => url.pathname.endsWith(child.session_id))
  await page.goto(`${accord.url}/ui/runs?status=waiting`)
  await page.locator('[data-row-link]').waitFor()
  expect(await page.locator('[data-row-link]').count()).toBe(1)
  await page.goto(`${accord.url}/ui/`)
  await seen(page, '1 for child sessions')
  await page.goto(`${accord.url}/ui/sessions/${parent.session_id}`)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('heading', { level: 1 }).getByText('Stopped').waitFor()
  expect(complaints).toEqual([])
  await page.close()
})
