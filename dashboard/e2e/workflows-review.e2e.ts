/** A code review by three specialists: drawn in the editor and opened from its template. */
import { readFile } from 'node:fs/promises'
import { join as path } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, screenshot, seen, violationsByTheme } from './support/browser'
import { edgeCount, join, nodeIds, nodeOf } from './support/drawing'
import { type Accord, startAccord } from './support/server'

let accord: Accord
let browser: Browser
let change = ''

/** A node of every kind. */
const KINDS = {
  name: 'kinds',
  nodes: {
    input: { type: 'input' },
    each: { type: 'map', over: '{{ input.files }}', agent: 'security', prompt: 'Review {{ item }}', on_failure: { retry: 2 } },
    planned: { type: 'planner', agent: { type: 'autonomous', executor: { type: 'llm', provider: 'ollama', model: 'm' } }, agents: ['security'], synthesis: { agent: 'writer' } },
    sure: { type: 'check', assert: 'each.size() > 0', message: 'nothing', severity: 'warn' },
    output: { type: 'output', value: { each: '{{ each }}', planned: '{{ planned }}' } },
  },
  edges: [
    { from: 'input', to: 'each' },
    { from: 'input', to: 'planned', when: 'has(input.goal)' },
    { from: 'each', to: 'sure' },
    { from: 'each', to: 'output' },
    { from: 'planned', to: 'output' },
  ],
}

beforeAll(async () => {
  accord = await startAccord({ template: 'code-review' })
  change = await readFile(path(accord.folder, '.accord/inputs/change.json'), 'utf8')
  await accord.ask('/workflows', { method: 'POST', body: JSON.stringify(KINDS) })
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
})

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' })

/** Runs the workflow with an input and waits for its result page. */
async function runIt(page: Page, input: string): Promise<void> {
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const asJson = page.getByRole('radio', { name: 'JSON' })
  if (await asJson.isVisible()) await asJson.click()
  await page.getByLabel('Input as JSON').fill(input)
  await page.getByRole('button', { name: 'Run it' }).click()
  await page.waitForURL(/\/ui\/workflow-runs\/wfr_/)
  await nodeOf(page, 'output').getByText('Completed').waitFor()
  await nodeOf(page, 'writer').getByTitle(/2 contradictions/).waitFor()
  await seen(page, 'Flagged by one agent, cleared by another')
}

const WRITER = `title: Let tools read files of the workspace
reviews:
  security: "{{ security }}"
  correctness: "{{ correctness }}"
  conventions: "{{ conventions }}"
missing: []
contradictions: "{{ contradictions }}"
near_duplicates: "{{ near_duplicates }}"
`

it('draws the review, runs it, and shows the contradictions', async () => {
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflows/new`, { width: 1440, height: 900 })
  await page.getByLabel('Name', { exact: true }).fill('drawn-review')
  const specialists = ['security', 'correctness', 'conventions']
  for (const name of [...specialists, 'writer']) await page.getByRole('button', { name: `Add the agent ${name}` }).click()
  await expect.poll(() => nodeIds(page)).toEqual(['conventions', 'correctness', 'input', 'output', 'security', 'writer'])
  for (const name of specialists) await join(page, 'input', name)
  for (const name of specialists) await join(page, name, 'writer')
  await join(page, 'input', 'writer')
  await join(page, 'writer', 'output')
  await expect.poll(() => edgeCount(page)).toBe(8)

  await nodeOf(page, 'input').click()
  await page.getByLabel('Validate with a schema').uncheck()
  await nodeOf(page, 'writer').click()
  await seen(page, /Before it runs, the structured outputs of security, correctness and conventions are compared/)
  await inspector(page).getByRole('radio', { name: 'Parameters' }).click()
  await inspector(page).getByLabel('Parameters', { exact: true }).last().press('Control+a')
  await page.keyboard.insertText(WRITER)
  await screenshot(page, 'workflow-review-drawn')
  await page.getByRole('button', { name: 'Create workflow' }).click()
  await page.getByRole('heading', { name: /^drawn-review/, level: 1 }).waitFor()
  // An input that only has a prompt is passed to each reviewer unchanged.
  const prompt = await readFile(path(accord.folder, '.accord/inputs/change.txt'), 'utf8')
  await runIt(page, JSON.stringify({ prompt }))
  await screenshot(page, 'workflow-review-run')
  expect(complaints).toEqual([])
  await page.close()
})

it('opens the review from the template, runs it, and saves its file', async () => {
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflows`)
  await page.getByRole('link', { name: 'code-review', exact: true }).click()
  await expect.poll(() => edgeCount(page)).toBe(8)
  await nodeOf(page, 'security').getByText('10 fields').waitFor()
  await runIt(page, change)
  await page.goto(`${accord.url}/ui/workflows/code-review?node=writer`)
  await inspector(page).getByLabel('Description').fill('Joins them')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  const file = await readFile(path(accord.folder, '.accord/workflows/code-review.yaml'), 'utf8')
  expect(file).toContain('description: Joins them')
  expect(complaints).toEqual([])
  await page.close()
})

/** Name, path, and a text that is shown when the page has loaded. */
const PAGES: [name: string, path: string, text: string | RegExp][] = [
  ['workflows', '/ui/workflows', 'Three specialists and a writer review a change'],
  ['workflow-new', '/ui/workflows/new', 'Saved in the database.'],
  ['workflow-editor', '/ui/workflows/code-review', 'workflow input'],
  ['workflow-node', '/ui/workflows/code-review?node=writer', 'Available in templates:'],
  ['workflow-input', '/ui/workflows/code-review?node=input', 'Disallow extra fields'],
  ['workflow-edge', '/ui/workflows/code-review?edge=4', 'CEL condition'],
  ['workflow-planner', '/ui/workflows/kinds?node=planned', 'Agents the planner can use'],
  ['workflow-as-yaml', '/ui/workflows/code-review?as=yaml', 'No problems found.'],
  ['workflow-start', '/ui/workflows/code-review?starting=true', 'Add to files'],
]

it.each(PAGES)('%s', async (name, address, text) => {
  const { page, complaints } = await open(browser, accord.url + address)
  await seen(page, text)
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await violationsByTheme(page, name)).toEqual({ light: [], dark: [] })
  await page.close()
  // The page fits on a phone.
  const phone = await open(browser, accord.url + address, { width: 390, height: 844 })
  await seen(phone.page, text)
  await screenshot(phone.page, `${name}-phone`)
  expect(await phone.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  expect([...complaints, ...phone.complaints]).toEqual([])
  await phone.page.close()
})
