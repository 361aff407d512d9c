/** Every page in both themes: it loads without errors and axe violations, and a screenshot is taken. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, screenshot, seen, violationsByTheme } from './support/browser'
import { type Accord, startAccord } from './support/server'

let accord: Accord
let browser: Browser
const sessions: Record<string, string> = {}

beforeAll(async () => {
  accord = await startAccord()
  await accord.run('schemas', 'add', 'task', '.accord/schemas/task.schema.json')
  await accord.run('run', 'ticket-triage', '--params', '.accord/inputs/ticket.json')
  await accord.run('run', 'release-notes', '--params', '.accord/inputs/release.json')
  await accord.run('run', 'invoice-reader', LETTER)
  await accord.run('run', 'word-count', '--param', 'text=one two three')
  const { items } = await accord.ask<{ items: { agent_name: string; session_id: string }[] }>('/sessions')
  for (const { agent_name, session_id } of items) sessions[agent_name] = session_id
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
})

const LETTER =
  'Dear customer, thank you for your order of 3 March 2026. Invoice NL-2041 will follow by post. Kind regards, Nordlicht\n'

/** Name, path, and a text that is shown when the page has loaded. */
const PAGES: [name: string, path: () => string, text: string][] = [
  ['overview', () => '/ui/', 'Most frequent errors'],
  ['sessions', () => '/ui/sessions', 'ticket-triage'],
  ['runs', () => '/ui/runs', 'output did not match the schema after 1 retry'],
  ['timeline', () => `/ui/sessions/${sessions['invoice-reader']}`, 'Attempt 2'],
  ['attempts', () => `/ui/sessions/${sessions['invoice-reader']}?view=attempts`, 'Model output'],
  ['result', () => `/ui/sessions/${sessions['ticket-triage']}?view=result`, 'outage'],
  ['input', () => `/ui/sessions/${sessions['ticket-triage']}?view=input`, 'Output contract'],
  ['family', () => `/ui/sessions/${sessions['ticket-triage']}?view=family`, 'No child sessions'],
  ['schemas', () => '/ui/schemas', 'task'],
  ['schema', () => '/ui/schemas/task', 'Not used by any agent or workflow'],
  ['schema-new', () => '/ui/schemas/new', 'Disallow extra fields'],
  ['runners', () => '/ui/runners', 'alive'],
  ['keys', () => '/ui/keys', 'accord keys create --role admin'],
  ['settings', () => '/ui/settings', 'accord doctor'],
  ['not-found', () => '/ui/no/such/page', 'Page not found'],
]

it.each(PAGES)('%s', async (name, path, text) => {
  const { page, complaints } = await open(browser, accord.url + path())
  await seen(page, text)
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await violationsByTheme(page, name)).toEqual({ light: [], dark: [] })
  expect(complaints).toEqual([])
  await page.close()
})

it.each(PAGES.slice(0, 6))('%s can be read on a phone', async (name, path) => {
  const { page } = await open(browser, accord.url + path(), { width: 390, height: 844 })
  await seen(page, /ticket-triage|invoice-reader|release-notes/)
  await screenshot(page, `${name}-phone`)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
  await page.close()
})

it.each([['runs', 1366], ['runs', 390], ['sessions', 1366], ['sessions', 390]] as const)('the list of %s can be read at %i px', async (name, width) => {
  const { page } = await open(browser, `${accord.url}/ui/${name}`, { width, height: 800 })
  const cell = page.getByRole('row').filter({ has: page.locator('[data-row-link]') }).first().getByRole('cell').first()
  await cell.waitFor()
  // The input needs room for several words at any width.
  expect((await cell.boundingBox())?.width).toBeGreaterThan(width === 390 ? 180 : 280)
  await screenshot(page, `${name}-${width}`)
  await page.close()
})

it('is also served at /', async () => {
  const { page } = await open(browser, `${accord.url}/`)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/ui/')
  await page.close()
})
