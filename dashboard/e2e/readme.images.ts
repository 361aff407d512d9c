/** The screenshots of the documentation, from the example agents and their recorded answers. */
import { mkdir, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, seen } from './support/browser'
import { type Accord, startAccord } from './support/server'

const images = fileURLToPath(new URL('../../docs/images/', import.meta.url))
/** The maximum size of a screenshot in bytes; a page of documentation has several. */
const MAX_BYTES = 150_000

const LETTER =
  'Dear customer, thank you for your order of 3 March 2026. Invoice NL-2041 will follow by post. Kind regards, Nordlicht\n'

let accord: Accord
let browser: Browser
let workflowRun = ''

beforeAll(async () => {
  accord = await startAccord()
  await accord.run('init', '--template', 'code-review', '--force')
  for (let round = 0; round < 4; round += 1) {
    await accord.run('run', 'ticket-triage', '--params', '.accord/inputs/ticket.json')
    await accord.run('run', 'release-notes', '--params', '.accord/inputs/release.json')
    await accord.run('run', 'word-count', '--param', 'text=one two three')
  }
  await accord.run('run', 'invoice-reader', LETTER)
  const done = await accord.run('workflow', 'run', 'code-review', '--input', '.accord/inputs/change.json', '--json')
  workflowRun = (JSON.parse(done) as { workflow_run_id: string }).workflow_run_id
  browser = await launch()
  await mkdir(images, { recursive: true })
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
})

async function capture(page: Page, name: string): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor()
  // Hide the pointer and the focus.
  await page.mouse.move(0, 0)
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  const path = `${images}${name}.png`
  await page.screenshot({ path })
  expect((await stat(path)).size).toBeLessThan(MAX_BYTES)
  await page.close()
}

it('overview', async () => {
  const { page } = await open(browser, `${accord.url}/ui/`)
  await seen(page, 'Most frequent errors')
  await capture(page, 'overview')
})

it('the fields of an agent', async () => {
  const { page } = await open(browser, `${accord.url}/ui/agents/release-notes?tab=output`)
  await seen(page, 'Enforced on every run.')
  await capture(page, 'agent-fields')
})

it('a session with two attempts and a highlighted error', async () => {
  const { items } = await accord.ask<{ items: { session_id: string }[] }>('/sessions?agent_name=invoice-reader')
  const { page } = await open(browser, `${accord.url}/ui/sessions/${items[0]?.session_id}?view=attempts&error=0`)
  await seen(page, 'Model output')
  await capture(page, 'session-attempts')
})

it('a workflow run with contradictions', async () => {
  const { page } = await open(browser, `${accord.url}/ui/workflow-runs/${workflowRun}`)
  await page.locator('.react-flow__node[data-id="writer"]').waitFor()
  await seen(page, 'Flagged by one agent, cleared by another')
  await capture(page, 'workflow-run')
})
