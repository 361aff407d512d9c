/** The pages of agents and of new runs: no errors, no axe violations, readable on a phone. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, screenshot, seen, violationsByTheme } from './support/browser'
import { type Accord, startAccord } from './support/server'

let accord: Accord
let browser: Browser

const BROKEN = `name: broken
executor: { type: llm, provider: anthropic, modle: claude }
output_schema: { type: objekt }
invariants:
  - rule: output.a ==
    message: a must be b
`

beforeAll(async () => {
  accord = await startAccord()
  await accord.agent('broken', BROKEN)
  await accord.agent('unreadable', 'name: [\n')
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
})

/** Name, path, and a text that is shown when the page has loaded. */
const PAGES: [name: string, path: string, text: string | RegExp][] = [
  ['agents', '/ui/agents', /agents\/broken\/agent\.yaml:2:\d+/],
  ['agent-general', '/ui/agents/ticket-triage', 'Limits per run'],
  ['agent-input', '/ui/agents/release-notes?tab=input', 'Callers send these fields'],
  ['agent-output', '/ui/agents/release-notes?tab=output', 'Enforced on every run.'],
  ['agent-output-code', '/ui/agents/release-notes?tab=output&as=code', 'additionalProperties'],
  ['agent-prompt', '/ui/agents/release-notes?tab=prompt', 'You write release notes'],
  ['agent-tools', '/ui/agents/release-notes?tab=tools', 'MCP servers'],
  ['agent-invariants', '/ui/agents/release-notes?tab=invariants', 'Add invariant'],
  ['agent-try', '/ui/agents/release-notes?tab=try', 'Add to commits'],
  ['agent-new', '/ui/agents/new', 'Saved in the database.'],
  ['agent-broken', '/ui/agents/broken', 'Unknown fields'],
  ['agent-unreadable', '/ui/agents/unreadable', "This agent's file cannot be parsed."],
  ['run-new', '/ui/runs/new?agent=invoice-reader', 'Run it'],
]

it.each(PAGES)('%s', async (name, path, text) => {
  const { page, complaints } = await open(browser, accord.url + path)
  await seen(page, text)
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await violationsByTheme(page, name)).toEqual({ light: [], dark: [] })
  // The page fits on a phone.
  await page.setViewportSize({ width: 390, height: 844 })
  await seen(page, text)
  await screenshot(page, `${name}-phone`)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  expect(complaints).toEqual([])
  await page.close()
})

it('removes a misspelt field and fills in a missing one', async () => {
  const { page } = await open(browser, `${accord.url}/ui/agents/broken`)
  await page.getByRole('button', { name: 'Remove modle' }).click()
  await page.getByLabel('Model', { exact: true }).fill('claude-sonnet-4-6')
  await page.getByRole('button', { name: 'Remove modle' }).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Save' }).click()
  // The rest is still invalid and reported with its path.
  await seen(page, /invalid blueprint/)
  await page.getByRole('tab', { name: /Invariants/ }).click()
  await seen(page, 'line 1, column 12: unexpected end of the rule')
  await page.close()
})
