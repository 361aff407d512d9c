/** Human input: approvals, corrections, tasks and one-time links. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, seen, violations, violationsByTheme } from './support/browser'
import { type ScriptedModel, agentOf, startModel } from './support/model'
import { type Accord, startAccord } from './support/server'

let accord: Accord
let model: ScriptedModel
let browser: Browser

interface Run {
  run_id: string
  session_id: string
  status: string
}

interface Input {
  id: string
  status: string
  answer?: unknown
  answered_by?: unknown
}

const TICKET = {
  type: 'object',
  required: ['severity', 'owner'],
  properties: {
    severity: { enum: ['low', 'high'] },
    owner: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 3 } }, additionalProperties: false },
    points: { type: 'integer' },
  },
  additionalProperties: false,
}

const post = <T>(path: string, body: object) => accord.ask<T>(path, { method: 'POST', body: JSON.stringify(body) })
const start = (agent_name: string, prompt: string) => post<Run>('/runs', { agent_name, prompt })
const runOf = (run: Run) => accord.ask<Run & { result?: unknown }>(`/runs/${run.run_id}`)
const inputsOf = async (run: Run) => (await accord.ask<{ items: Input[] }>(`/inputs?run_id=${run.run_id}`)).items

/** Waits for the input request of a run. */
async function waitForInput(run: Run): Promise<Input> {
  await expect.poll(async () => (await inputsOf(run)).length).toBe(1)
  return (await inputsOf(run))[0] as Input
}

const pollStatus = (run: Run) => expect.poll(async () => (await runOf(run)).status, { timeout: 20_000 })

/** A tool call that writes a file, which needs approval. */
const write = (path: string) => ({ tool: 'write_file', arguments: { path, content: 'x' } })
const written = (path: string) => existsSync(join(accord.folder, path))

beforeAll(async () => {
  accord = await startAccord({ examples: false })
  model = await startModel()
  browser = await launch()
  await accord.agent('writer', `${agentOf('writer', model.baseUrl)}tools: [write_file]\napprove: [write_file]\n`)
  await post('/agents', {
    name: 'sorter',
    executor: { type: 'llm', provider: 'openai-compatible', base_url: model.baseUrl, model: 'scripted' },
    output_schema: TICKET,
    output_schema_options: { max_retries: 0, on_failure: 'ask' },
  })
  await post('/agents', { name: 'desk', executor: { type: 'human' }, output_schema: TICKET })
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
  await model?.close()
})

const openInput = (input: Input) => open(browser, `${accord.url}/ui/inputs/${input.id}`)
const send = (page: Page) => page.getByRole('button', { name: 'Send answer' })

it('approves a tool call that is found through the list, the counter and the run', async () => {
  const { page, complaints } = await open(browser, `${accord.url}/ui/inputs`)
  await seen(page, 'Nothing to answer')
  expect(await violations(page)).toEqual([])
  model.say(write('approved.txt'))
  const run = await start('writer', 'Write it')
  await waitForInput(run)
  const link = page.locator('[data-row-link]')
  await link.waitFor()
  await page.getByRole('link', { name: 'Inputs 1 open' }).waitFor()
  await page.goto(`${accord.url}/ui/sessions/${run.session_id}`)
  const banner = page.getByRole('status', { name: 'Input required' })
  await banner.getByText(/^Waiting for an answer from a person until .+\.$/).waitFor()
  expect(await violations(page)).toEqual([])
  await banner.getByRole('link', { name: /^Approval: write_file/ }).click()
  await seen(page, /approved\.txt/)
  expect(await violationsByTheme(page, 'input-approval')).toEqual({ light: [], dark: [] })
  expect(written('approved.txt')).toBe(false)
  model.say('Done.')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('heading', { name: 'Outcome' }).waitFor()
  await pollStatus(run).toBe('completed')
  expect(written('approved.txt')).toBe(true)
  await page.getByRole('link', { name: 'Go to the run' }).click()
  await seen(page, 'Input answered')
  await page.getByRole('tab', { name: 'Steps' }).click()
  await seen(page, 'approval of write_file · approved')
  expect(await page.getByRole('link', { name: /^Inputs \d/ }).count()).toBe(0)
  expect(complaints).toEqual([])
  await page.close()
})

it('denies a tool call with a reason, and rejects a second answer', async () => {
  model.say(write('denied.txt'))
  const run = await start('writer', 'Write it again')
  const input = await waitForInput(run)
  const first = await openInput(input)
  const second = await openInput(input)
  await second.page.getByRole('button', { name: 'Approve' }).waitFor()
  // The second page must not see that the first one answered.
  await second.page.route('**/inputs/**', (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()))
  model.say('I did not.')
  await first.page.getByLabel(/^Reason/).fill('Not today')
  await first.page.getByRole('button', { name: 'Deny' }).click()
  await first.page.getByRole('heading', { name: 'Outcome' }).waitFor()
  await pollStatus(run).toBe('completed')
  expect(written('denied.txt')).toBe(false)
  expect((await inputsOf(run))[0]).toMatchObject({ status: 'answered', answer: { approve: false, reason: 'Not today' } })
  const rejected = second.page.waitForResponse((response) => response.request().method() === 'POST')
  await second.page.getByRole('button', { name: 'Approve' }).click()
  expect((await rejected).status()).toBe(409)
  await second.page.getByRole('alert').filter({ hasText: 'answered' }).waitFor()
  await second.page.unroute('**/inputs/**')
  await second.page.reload()
  await seen(second.page, 'Not today')
  await first.page.close()
  await second.page.close()
})

it('shows an invalid answer at its field, and accepts the corrected one', async () => {
  const run = await start('desk', 'Sort this ticket')
  const { page, complaints } = await openInput(await waitForInput(run))
  await seen(page, 'Sort this ticket')
  await page.getByLabel('severity').selectOption('high')
  await page.getByLabel('name').fill('Al')
  await page.getByLabel(/^points/).fill('12345678901234567890')
  await send(page).click()
  await seen(page, 'The answer was not accepted. Fix the errors above and send it again.')
  const name = page.getByLabel('name')
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true)
  expect(await violations(page)).toEqual([])
  await name.fill('Alan')
  await send(page).click()
  await page.getByRole('heading', { name: 'Outcome' }).waitFor()
  await seen(page, '12345678901234567890')
  await pollStatus(run).toBe('completed')
  await page.getByRole('link', { name: 'Go to the run' }).click()
  await seen(page, 'Entered by a person')
  await page.getByRole('tab', { name: 'Result' }).click()
  await seen(page, 'by a person')
  expect(complaints).toEqual([])
  await page.close()
})

it('corrects an output that did not match the schema, and saves it as a test case', async () => {
  model.say('{"severity": "urgent", "owner": {"name": "Ada"}, "color": "red"}')
  const run = await start('sorter', 'Sort another ticket')
  const { page, complaints } = await openInput(await waitForInput(run))
  const severity = page.getByLabel('severity')
  expect(await severity.getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByLabel('name').inputValue()).toBe('Ada')
  expect(await violations(page)).toEqual([])
  await severity.selectOption('high')
  await page.getByRole('button', { name: 'Remove color' }).click()
  await send(page).click()
  await page.getByRole('heading', { name: 'Outcome' }).waitFor()
  await pollStatus(run).toBe('completed')
  await page.getByRole('button', { name: 'Save as test case' }).click()
  await seen(page, /This input and its result are a test case/)
  expect(await accord.ask('/agents/sorter')).toMatchObject({
    blueprint: { examples: [{ input: { prompt: 'Sort another ticket' }, output: { severity: 'high', owner: { name: 'Ada' } } }] },
  })
  expect(complaints).toEqual([])
  await page.close()
})

it('shows the node of a workflow that waits for a person', async () => {
  await post('/workflows', {
    name: 'review',
    nodes: {
      input: { type: 'input' },
      person: { type: 'human', prompt: 'Look at it', output_schema: TICKET },
      output: { type: 'output' },
    },
    edges: [{ from: 'input', to: 'person' }, { from: 'person', to: 'output' }],
  })
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflows/review?node=person`)
  expect(await page.getByLabel('Question').inputValue()).toBe('Look at it')
  const run = await post<{ workflow_run_id: string }>('/workflows/review/runs', { input: {} })
  await page.goto(`${accord.url}/ui/workflow-runs/${run.workflow_run_id}?node=person`)
  await page.locator('.react-flow__node[data-id="person"]').getByText('Input required').waitFor()
  // The run says what it waits for before a node is selected.
  await page.goto(`${accord.url}/ui/workflow-runs/${run.workflow_run_id}`)
  await page.getByRole('heading', { level: 1 }).getByText('Input required').waitFor()
  await page.getByRole('link', { name: 'Task: Look at it' }).click()
  await page.getByLabel('severity').selectOption('low')
  await page.getByLabel('name').fill('Grace')
  await send(page).click()
  await page.getByRole('heading', { name: 'Outcome' }).waitFor()
  const status = async () => (await accord.ask(`/workflow-runs/${run.workflow_run_id}`)).status
  await expect.poll(status, { timeout: 20_000 }).toBe('completed')
  expect(complaints).toEqual([])
  await page.close()
})

/** Must be the last test: it creates a key, so all later requests need one. */
it('answers by a one-time link, in a page without a key', async () => {
  const run = await start('desk', 'A ticket for somebody else')
  const { page } = await openInput(await waitForInput(run))
  await page.getByRole('button', { name: 'Create link' }).click()
  const address = await page.getByLabel('Link', { exact: true }).inputValue()
  expect(address).toContain(`${accord.url}/ui/answer#inp_`)
  await page.close()
  await accord.run('keys', 'create', '--role', 'admin', '--json')
  const wrong = await open(browser, `${address}0`)
  await seen(wrong.page, 'This link cannot be used')
  await wrong.page.close()
  const guest = await open(browser, address)
  await seen(guest.page, 'A ticket for somebody else')
  expect(await guest.page.getByLabel('API key').count()).toBe(0)
  expect(await guest.page.getByRole('navigation').count()).toBe(0)
  expect(await violationsByTheme(guest.page, 'answer-by-link')).toEqual({ light: [], dark: [] })
  await send(guest.page).click()
  await seen(guest.page, 'The answer was not accepted. Fix the errors above and send it again.')
  await guest.page.getByLabel('severity').selectOption('low')
  await guest.page.getByLabel('name').fill('Barbara')
  await send(guest.page).click()
  await seen(guest.page, 'Your answer was saved')
  expect(guest.complaints).toEqual([])
  await guest.page.reload()
  await seen(guest.page, 'This link cannot be used')
  await guest.page.close()
})
