/** Live lists, API keys, the schema registry and long timelines. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, screenshot, seen, violations } from './support/browser'
import { type Accord, startAccord } from './support/server'

let accord: Accord
let browser: Browser

beforeAll(async () => {
  accord = await startAccord()
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
})

const count = (text: string) =>
  accord.ask('/runs?wait=20', {
    method: 'POST',
    body: JSON.stringify({ agent_name: 'word-count', parameters: { text } }),
  })

const rows = (page: Page) => page.locator('[data-row-link]')

it('shows the command to type on empty pages', async () => {
  for (const [path, command] of [
    ['/ui/', 'accord run ticket-triage'],
    ['/ui/sessions', 'accord run ticket-triage'],
    ['/ui/runs', 'accord run ticket-triage'],
    ['/ui/schemas', 'accord schemas add'],
    ['/ui/keys', 'accord keys create'],
  ] as const) {
    const { page } = await open(browser, accord.url + path)
    await seen(page, command)
    await page.close()
  }
})

it('updates live, also after the server was restarted', async () => {
  const { page } = await open(browser, `${accord.url}/ui/sessions`)
  await seen(page, 'Live')
  await count('one')
  await rows(page).nth(0).waitFor()
  await seen(page, 'Finished')
  await accord.stop()
  await seen(page, /Connection to the server lost/)
  await accord.start()
  await page.getByText(/Connection to the server lost/).waitFor({ state: 'hidden' })
  await count('two words')
  await rows(page).nth(1).waitFor()
  expect(await rows(page).count()).toBe(2)
  // Move between rows and open one with the keyboard.
  await rows(page).nth(0).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await seen(page, 'Parent & children')
  await page.close()
})

it('opens pages while the server is down, and loads them when it is back', async () => {
  const { page } = await open(browser, `${accord.url}/ui/agents`)
  await seen(page, 'Live')
  const loaded = () => performance.getEntriesByType('resource').some(({ name }) => name.includes('workflow-runs-page'))
  await page.waitForFunction(loaded)
  await accord.stop()
  await seen(page, 'Reconnecting')
  await page.getByRole('link', { name: 'Workflow runs' }).click()
  await page.getByRole('heading', { name: 'Workflow runs' }).waitFor()
  await accord.start()
  await seen(page, 'No workflow runs yet')
  await page.close()
})

it('keeps filters in the URL', async () => {
  const { page } = await open(browser, `${accord.url}/ui/runs`)
  await rows(page).nth(0).waitFor()
  await page.getByLabel('Status').selectOption('failed')
  await seen(page, 'No runs match')
  expect(page.url()).toContain('status=failed')
  await page.goBack()
  await rows(page).nth(0).waitFor()
  await page.close()
})

it('finds sessions by their input and shows their number', async () => {
  const { page } = await open(browser, `${accord.url}/ui/sessions`)
  await rows(page).nth(1).waitFor()
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  await seen(page, 'two words')
  await seen(page, /^1–2 of 2, newest first$/)
  await page.getByLabel('Search').fill('WORDS two')
  await seen(page, /^1–1 of 1, newest first$/)
  expect(page.url()).toContain('find=WORDS')
  await page.getByLabel('Search').fill('nothing like that')
  await seen(page, 'No sessions match')
  await page.getByLabel('Search').fill('')
  await page.getByLabel('Period').selectOption('24h')
  await rows(page).nth(1).waitFor()
  expect(page.url()).toContain('since=24h')
  // The list is fetched with one request, without one per row.
  expect(requests.filter((path) => path.startsWith('/runs/'))).toEqual([])
  await page.close()
})

it('shows the live output of a command and marks it as not validated', async () => {
  const script = 'echo loading the data >&2; while [ ! -e go ]; do sleep 0.1; done; echo \'{"done": true}\''
  await accord.agent(
    'slow',
    `name: slow\ndescription: Takes its time\ntype: procedural\nexecutor: { type: process, command: sh, args: ["-c", ${JSON.stringify(script)}] }\n`,
  )
  const { session_id: id } = await accord.ask<{ session_id: string }>('/runs', {
    method: 'POST',
    body: JSON.stringify({ agent_name: 'slow', prompt: 'go' }),
  })
  const { page } = await open(browser, `${accord.url}/ui/sessions/${id}`)
  await seen(page, 'Unvalidated output')
  await page.getByRole('log', { name: 'stderr' }).getByText('loading the data').waitFor()
  expect(await violations(page)).toEqual([])
  await screenshot(page, 'live-output')
  await writeFile(join(accord.folder, 'go'), '')
  await seen(page, 'Run completed')
  await page.getByText('Unvalidated output').waitFor({ state: 'hidden' })
  await page.close()
})

it('registers a schema, shows who uses it, and why it cannot be deleted', async () => {
  const { page } = await open(browser, `${accord.url}/ui/schemas/new`)
  await page.getByLabel('Name').first().fill('finding')
  await page.getByRole('button', { name: 'Add schema' }).click()
  await seen(page, 'Not used by any agent or workflow')
  await accord.agent(
    'finder',
    'name: finder\ndescription: x\ntype: autonomous\nexecutor: { type: replay, cassette: .accord/cassettes/ticket-triage.json }\nsystem_prompt: x\noutput_schema: finding\n',
  )
  await page.reload()
  await page.getByRole('link', { name: 'finder' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await seen(page, "schema 'finding' is in use by finder")
  await screenshot(page, 'schema-in-use')
  await page.close()
})

it('stays smooth with five thousand events', async () => {
  const { items } = await accord.ask<{ items: { session_id: string }[] }>('/sessions')
  const id = items[0]?.session_id ?? ''
  const { page } = await open(browser, `${accord.url}/ui/settings`)
  await page.route(/\/sessions\/ses_[^/]+\/events/, async (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
    const events = Array.from({ length: 500 }, (_, index) => message(id, from + index + 1))
    await route.fulfill({ json: { items: events, next_cursor: from + 500 < 5_000 ? String(from + 500) : null } })
  })
  await page.goto(`${accord.url}/ui/sessions/${id}`)
  const feed = page.getByRole('feed')
  await feed.getByText('message 1', { exact: true }).waitFor()
  for (let round = 0; round < 30 && !(await feed.getByText('message 5000').isVisible()); round += 1) {
    await feed.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  }
  await seen(page, 'message 5000')
  expect(await page.getByRole('article').count()).toBeLessThan(100)
  await page.close()
})

const message = (session_id: string, number: number) => ({
  id: number, at: '2026-01-01T00:00:00Z', session_id, run_id: null, type: 'message', role: 'assistant', text: `message ${number}`,
})

it('asks for a key once one exists, and keeps it for the tab', async () => {
  const created = JSON.parse(await accord.run('keys', 'create', '--role', 'viewer', '--json')) as { key: string }
  const { page } = await open(browser, `${accord.url}/ui/runners`)
  await page.getByLabel('API key').waitFor()
  expect(await violations(page)).toEqual([])
  await screenshot(page, 'login')
  await page.getByLabel('API key').fill('accord_wrong_key')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await seen(page, 'invalid API key; it may have been revoked')
  await page.getByLabel('API key').fill(created.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await seen(page, 'alive')
  await seen(page, 'Live')
  // It is not available to other tabs or later visits.
  const persisted = await page.evaluate(() => JSON.stringify(localStorage) + document.cookie)
  expect(persisted).not.toContain(created.key)
  // A viewer can only read; the server explains what it may not do.
  await page.getByRole('link', { name: 'Keys' }).click()
  await seen(page, /use a key with role/)
  await page.reload()
  await seen(page, /use a key with role/)
  const other = await open(browser, `${accord.url}/ui/runners`)
  await seen(other.page, 'This server requires an API key.')
  await other.page.close()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await seen(page, 'You are signed out.')
  await page.close()
})
