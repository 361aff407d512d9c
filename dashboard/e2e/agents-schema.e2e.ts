/** Schemas in the agent editor: switching between fields and code, and inferring a schema from an example. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, screenshot, seen } from './support/browser'
import { agentOf } from './support/model'
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

const fieldNames = (page: Page) =>
  page.getByLabel('Name', { exact: true }).evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value))

it('dashboard supports output schema editing: fields and code without loss, with located findings', async () => {
  const schema =
    '{ type: object, properties: { "2": { type: string, x-key: true }, "1": { type: integer, minimum: 3, maximum: 1 } }, ' +
    'patternProperties: { "^x-": true } }'
  await accord.agent('odd', `${agentOf('odd', 'http://127.0.0.1:1/v1')}output_schema: ${schema}\n`)
  const { page, complaints } = await open(browser, `${accord.url}/ui/agents/odd?tab=output`)
  await seen(page, 'Kept as written: patternProperties')
  await seen(page, 'Kept as written: x-key')
  await page.getByRole('button', { name: 'Validate schema' }).click()
  await seen(page, 'Where each rule is enforced')
  await screenshot(page, 'agent-losses')
  await page.getByRole('radio', { name: 'Code' }).click()
  await page.locator('.cm-lintRange-error').first().waitFor()
  await screenshot(page, 'agent-code')
  await page.getByRole('radio', { name: 'YAML' }).click()
  const editor = page.getByLabel('Schema of the output')
  await expect.poll(() => editor.textContent()).toContain('x-key: true')
  await editor.press('Control+End')
  await page.keyboard.type('title: Odd one\n')
  await page.getByRole('radio', { name: 'Fields' }).click()
  await seen(page, 'Kept as written: patternProperties, title')
  expect(await fieldNames(page)).toEqual(['2', '1'])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  const saved = await readFile(join(accord.folder, '.accord/agents/odd/agent.yaml'), 'utf8')
  expect(saved.indexOf('title: Odd one')).toBeGreaterThan(saved.indexOf('patternProperties'))
  expect(saved.indexOf('minimum: 3')).toBeGreaterThan(saved.indexOf('x-key: true'))
  expect(complaints).toEqual([])
  await page.close()
})

it('infers a schema from an example', async () => {
  const { page } = await open(browser, `${accord.url}/ui/agents/new?tab=output`)
  await page.getByRole('button', { name: 'Infer from example' }).click()
  await page.getByRole('textbox', { name: 'Example', exact: true }).click()
  await page.keyboard.insertText('{"title": "x", "lines": [{"n": 1}]}')
  await page.getByRole('button', { name: 'Infer schema' }).click()
  await expect.poll(() => fieldNames(page)).toEqual(['title', 'lines', 'n'])
  await page.close()
})
