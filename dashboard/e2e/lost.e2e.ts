/** Unsaved changes survive switching tabs, deletions elsewhere and revoked keys; long words do not break the layout. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, screenshot, seen } from './support/browser'
import { type Accord, startAccord } from './support/server'

let accord: Accord
let browser: Browser

beforeAll(async () => {
  accord = await startAccord({ examples: false })
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
})

const createAgent = (agent: object) => accord.ask('/agents', { method: 'POST', body: JSON.stringify({ executor: { type: 'codex' }, ...agent }) })
const save = (page: Page) => page.getByRole('button', { name: 'Save' })

it('keeps a schema with syntax errors, and does not save it', async () => {
  await createAgent({ name: 'half', output_schema: { type: 'object', properties: { a: { type: 'string' } } } })
  const { page, complaints } = await open(browser, `${accord.url}/ui/agents/half?tab=output&as=code`)
  const editor = page.getByLabel('Schema of the output')
  await editor.press('Control+End')
  await page.keyboard.type('half a word')
  await seen(page, /Cannot be saved yet/)
  await page.getByRole('radio', { name: 'Fields' }).click()
  await page.getByRole('tab', { name: 'General' }).click()
  await page.getByLabel('Description').fill('New')
  expect(await save(page).isDisabled()).toBe(true)
  await page.getByRole('tab', { name: 'Output Schema' }).click()
  await expect.poll(() => editor.textContent()).toContain('half a word')
  await screenshot(page, 'agent-unread')
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect.poll(() => editor.textContent()).not.toContain('half a word')
  expect(complaints).toEqual([])
  await page.close()
})

it('creates an agent again that was deleted elsewhere', async () => {
  await createAgent({ name: 'brief', description: 'old' })
  const { page, complaints } = await open(browser, `${accord.url}/ui/agents/brief`)
  await page.getByLabel('Description').fill('mine')
  await accord.ask('/agents/brief', { method: 'DELETE' })
  await save(page).click()
  await seen(page, /brief was deleted elsewhere/)
  await screenshot(page, 'agent-deleted')
  await page.getByRole('button', { name: 'Create again' }).click()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  expect(await accord.ask('/agents/brief')).toMatchObject({ blueprint: { description: 'mine' } })
  await page.getByText('brief was deleted elsewhere').waitFor({ state: 'hidden' })
  expect(complaints).toEqual([])
  await page.close()
})

it('creates a workflow again that was deleted elsewhere', async () => {
  const parts = { name: 'short', nodes: { input: { type: 'input' }, output: { type: 'output' } }, edges: [{ from: 'input', to: 'output' }] }
  await accord.ask('/workflows', { method: 'POST', body: JSON.stringify(parts) })
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflows/short`)
  await page.getByLabel('Description').fill('mine')
  await accord.ask('/workflows/short', { method: 'DELETE' })
  await save(page).click()
  await seen(page, /short was deleted elsewhere/)
  await page.getByRole('button', { name: 'Create again' }).click()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  expect(await accord.ask('/workflows/short')).toMatchObject({ workflow: { description: 'mine' } })
  expect(complaints).toEqual([])
  await page.close()
})

it('breaks words that are longer than the page', async () => {
  await createAgent({ name: 'wide', description: `${'w'.repeat(1_200)}\u202Eevil`, tags: ['t'.repeat(200)] })
  for (const path of ['/ui/agents', `/ui/agents?tags=${'t'.repeat(200)}`, '/ui/runs/new?agent=wide']) {
    const { page } = await open(browser, accord.url + path, { width: 800 })
    await seen(page, /wwww/)
    const widths = await page.locator('main').evaluate((main) => [main.scrollWidth, main.clientWidth])
    expect([path, widths[0]]).toEqual([path, widths[1]])
    await seen(page, /U\+202Eevil/)
    await page.close()
  }
})

it('keeps unsaved changes when a key is required and when it is changed', async () => {
  await createAgent({ name: 'kept', description: 'old' })
  const { page, complaints } = await open(browser, `${accord.url}/ui/agents/kept`)
  await page.getByLabel('Description').fill('mine')
  const keyOf = (role: string, headers: Record<string, string> = {}) =>
    accord.ask<{ key: string }>('/keys', { method: 'POST', body: JSON.stringify({ role, name: role }), headers })
  const admin = await keyOf('admin')
  const headers = { authorization: `Bearer ${admin.key}` }
  const viewer = await keyOf('viewer', headers)
  const signIn = async (key: string) => {
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('API key').waitFor({ state: 'hidden' })
  }
  await page.getByLabel('API key').waitFor()
  await screenshot(page, 'login-over')
  await signIn(viewer.key)
  await seen(page, /Your key has the role viewer/)
  expect(await page.getByLabel('Description').inputValue()).toBe('mine')
  expect(await save(page).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Use another key' }).click()
  await signIn(admin.key)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await seen(page, 'Sign out without saving?')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await save(page).click()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  expect(await accord.ask('/agents/kept', { headers })).toMatchObject({ blueprint: { description: 'mine' } })
  expect(complaints).toEqual([])
  await page.close()
})
