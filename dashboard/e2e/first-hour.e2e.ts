/** The first steps of a new user: the welcome page, a first run, finding runs, and the command palette. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, screenshot, seen, violations, violationsByTheme } from './support/browser'
import { type ScriptedModel, agentOf, startModel } from './support/model'
import { type Accord, startAccord } from './support/server'

let accord: Accord
let model: ScriptedModel
let browser: Browser

beforeAll(async () => {
  accord = await startAccord()
  model = await startModel()
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
  await model?.close()
})

it('shows a welcome page before the first run, and runs the recorded example', async () => {
  const { page, complaints } = await open(browser, `${accord.url}/ui/`)
  await seen(page, /answers must match a JSON Schema/)
  await seen(page, '4 agents are loaded.')
  expect(await violationsByTheme(page, 'welcome')).toEqual({ light: [], dark: [] })
  await page.getByRole('link', { name: 'Run the example' }).click()
  await page.getByRole('button', { name: 'Run it' }).click()
  await seen(page, 'Output Schema: Valid')
  await accord.run('run', 'word-count', '--param', 'text=one two three')
  expect(complaints).toEqual([])
  await page.close()
})

it('runs the example of an agent whose input schema has one', async () => {
  const empty = await startAccord({ examples: false })
  const input = { type: 'object', required: ['text'], properties: { text: { type: 'string', examples: ['Say hello'] } } }
  await empty.agent('greeter', `${agentOf('greeter', model.baseUrl)}parameters_schema: ${JSON.stringify(input)}\n`)
  const { page } = await open(browser, `${empty.url}/ui/`)
  await page.getByRole('link', { name: 'Run the example' }).click()
  await expect.poll(() => page.getByLabel('text').inputValue()).toBe('Say hello')
  model.say('Hello.')
  await page.getByRole('button', { name: 'Run it' }).click()
  await page.getByRole('region', { name: 'Result' }).getByText('Hello.').waitFor()
  await page.close()
  await empty.close()
})

it('explains recordings, and offers the recorded input and that of the last successful run', async () => {
  const { page } = await open(browser, `${accord.url}/ui/agents/ticket-triage?tab=try`)
  await seen(page, 'This agent is a recording.')
  await page.getByRole('button', { name: 'Use the example input' }).click()
  await expect.poll(() => page.getByLabel('ticket').inputValue()).toContain('nobody in our office can log in')
  await page.getByLabel('ticket').fill('')
  await accord.run('run', 'ticket-triage', '--params', '.accord/inputs/ticket.json')
  await page.getByRole('button', { name: 'Use the input of the last successful run' }).click()
  await expect.poll(() => page.getByLabel('ticket').inputValue()).toContain('nobody in our office can log in')
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Run it' }).click()
  await seen(page, 'Output Schema: Valid')
  await screenshot(page, 'recording')
  await page.close()
})

it('shows the input of sessions, finds one by it, and runs it again', async () => {
  const { page } = await open(browser, `${accord.url}/ui/sessions`)
  const row = page.getByRole('row').filter({ hasText: 'one two three' })
  await row.waitFor()
  expect(await page.locator('[data-row-link]').count()).toBeGreaterThan(1)
  await page.getByLabel('Search').fill('two three')
  await expect.poll(() => page.locator('[data-row-link]').count()).toBe(1)
  expect(page.url()).toContain('find=')
  await page.getByLabel('Period').selectOption('24h')
  await row.waitFor()
  await screenshot(page, 'sessions-found')
  expect(await violations(page)).toEqual([])
  await row.getByRole('link').click()
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.getByRole('link', { name: 'Edit the input' }).click()
  await expect.poll(() => page.getByLabel('text').inputValue()).toBe('one two three')
  await page.close()
})

it('jumps anywhere with Ctrl+K', async () => {
  const { page, complaints } = await open(browser, `${accord.url}/ui/settings`)
  await seen(page, 'accord doctor')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to' }).waitFor()
  expect(await violationsByTheme(page, 'palette')).toEqual({ light: [], dark: [] })
  await page.keyboard.type('invoice')
  await page.getByRole('option', { name: /^invoice-reader/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'invoice-reader' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('runs')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Go to' }).waitFor({ state: 'hidden' })
  expect(complaints).toEqual([])
  await page.close()
})

it('has no axe violations on a phone', async () => {
  for (const path of ['/ui/', '/ui/sessions', '/ui/agents', '/ui/workflows']) {
    const { page } = await open(browser, accord.url + path, { width: 390, height: 844 })
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect([path, await violations(page)]).toEqual([path, []])
    await page.close()
  }
})

it('shows statistics by strategy, sorts them, and links to the runs', async () => {
  const { page } = await open(browser, `${accord.url}/ui/`)
  await page.getByRole('region', { name: 'By strategy' }).getByText('native').waitFor()
  const agents = page.getByRole('region', { name: 'By agent' })
  await agents.getByRole('button', { name: 'Tokens' }).click()
  await expect.poll(() => agents.getByRole('columnheader', { name: 'Tokens' }).getAttribute('aria-sort')).toBe('descending')
  // Hovering over a chart shows its values.
  const chart = page.locator('figure').filter({ hasText: 'First attempt' }).first()
  await chart.locator('.u-over').hover()
  await chart.locator('figcaption').getByText(/%|\d/).first().waitFor()
  await screenshot(page, 'overview-hover')
  await agents.getByRole('link', { name: 'word-count' }).click()
  await expect.poll(() => page.url()).toContain('agent=word-count')
  await page.close()
})
