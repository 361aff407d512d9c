/** Workflow runs: the live graph, contradictions, node details, stopping and resuming. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { launch, open, screenshot, seen, violations, violationsByTheme } from './support/browser'
import { type ScriptedModel, agentOf, startModel } from './support/model'
import { type Accord, startAccord } from './support/server'
import { BREAKS, FINDINGS, HOSTILE, MANY, MEASURE, SLOW, finding } from './support/workflows'

let accord: Accord
let model: ScriptedModel
let browser: Browser
let reviewed = ''

interface Started {
  workflow_run_id: string
}

beforeAll(async () => {
  accord = await startAccord({ template: 'code-review' })
  model = await startModel()
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
  await model?.close()
})

const node = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)

/** Writes a workflow file and waits until the server has loaded it. */
async function workflow(name: string, yaml: string): Promise<void> {
  await writeFile(join(accord.folder, '.accord/workflows', `${name}.yaml`), yaml)
  const known = async () =>
    expect(await accord.ask(`/workflows/${name}`)).toMatchObject({ summary: { problems: [] } })
  await vi.waitFor(known, { timeout: 10_000 })
}

const startRun = (name: string, input: object) =>
  accord.ask<Started>(`/workflows/${name}/runs`, { method: 'POST', body: JSON.stringify({ input }) })

it('shows the commands to type while there are no workflow runs', async () => {
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflow-runs`)
  await seen(page, 'accord init --template code-review')
  await seen(page, 'accord workflows run code-review --input .accord/inputs/change.json')
  await screenshot(page, 'workflow-runs-empty')
  expect(await violations(page)).toEqual([])
  // The page is live: a run that is started in a terminal appears.
  const done = JSON.parse(
    await accord.run('workflow', 'run', 'code-review', '--input', '.accord/inputs/change.json', '--json'),
  ) as Started & { status: string }
  expect(done.status).toBe('completed')
  reviewed = done.workflow_run_id
  await page.locator('[data-row-link]').waitFor()
  await page.getByLabel('Status').selectOption('failed')
  await seen(page, 'No workflow runs match')
  expect(page.url()).toContain('status=failed')
  await page.goBack()
  await page.getByLabel('Workflow', { exact: true }).selectOption('code-review')
  expect(page.url()).toContain('workflow=code-review')
  await page.locator('[data-row-link]').click()
  await seen(page, 'Flagged by one agent, cleared by another')
  expect(complaints).toEqual([])
  await page.close()
})

it('shows contradictions between upstream agents side by side', async () => {
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflow-runs/${reviewed}`)
  for (const id of ['input', 'security', 'correctness', 'conventions', 'writer', 'output']) {
    await node(page, id).getByText('Completed').waitFor()
  }
  await node(page, 'writer').getByTitle('Before it ran: 2 contradictions, 1 near-duplicate').waitFor()
  const cleared = page.getByRole('region', { name: 'Flagged by one agent, cleared by another: src/workspace.rs:11' })
  await cleared.getByText('blocker').waitFor()
  await cleared.getByText(/Path traversal/).waitFor()
  await cleared.getByText('cleared', { exact: true }).waitFor()
  await cleared.getByText(/Paths are resolved against the root/).waitFor()
  const left = await cleared.getByRole('link', { name: 'security' }).boundingBox()
  const right = await cleared.getByRole('link', { name: 'conventions' }).boundingBox()
  expect(Math.abs((left?.y ?? 0) - (right?.y ?? 99))).toBeLessThan(2)
  const severities = page.getByRole('region', { name: 'Different severity: src/workspace.rs:15' })
  await severities.getByText('minor').waitFor()
  // Only the differences are marked.
  expect(await severities.locator('mark').allTextContents()).toContain(' with a name that does not exist.')
  const alike = page.getByRole('region', { name: '65 % similar: src/workspace.rs' })
  await alike.getByText('src/workspace.rs:16').first().waitFor()
  expect(await violationsByTheme(page, 'workflow-run')).toEqual({ light: [], dark: [] })
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await page.getByRole('list', { name: 'Nodes by time' }).getByRole('link', { name: /^writer: completed/ }).waitFor()
  expect(await violationsByTheme(page, 'workflow-run-timeline')).toEqual({ light: [], dark: [] })
  await page.getByRole('tab', { name: 'Result' }).click()
  await seen(page, /Names leave the workspace, and reading panics/)
  await page.getByRole('radio', { name: 'Text' }).click()
  await seen(page, '"summary":')
  expect(complaints).toEqual([])
  await page.close()
})

it('shows a node by its URL, and links to its session and back', async () => {
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflow-runs/${reviewed}`)
  await node(page, 'writer').click()
  await page.getByRole('tab', { name: 'Node writer', selected: true }).waitFor()
  expect(page.url()).toContain('node=writer')
  await seen(page, '2 contradictions and 1 near-duplicate between upstream agents')
  await page.reload()
  await page.getByRole('region', { name: 'Output' }).getByText('disputes').waitFor()
  await page.getByRole('region', { name: 'Inputs' }).getByText('conventions').waitFor()
  await seen(page, /2 attempts · [\d,]+ tokens/)
  await node(page, 'writer').waitFor()
  await screenshot(page, 'workflow-run-node')
  expect(await violations(page)).toEqual([])
  await page.getByRole('link', { name: 'session and attempts' }).click()
  await seen(page, 'Model output')
  await page.getByRole('link', { name: 'node writer of workflow code-review' }).click()
  await page.getByRole('tab', { name: 'Node writer', selected: true }).waitFor()
  // A session also links to its workflow run if the user did not come from there.
  const { items } = await accord.ask<{ items: { session_id: string; agent_name: string }[] }>('/sessions')
  const id = items.find(({ agent_name }) => agent_name === 'security')?.session_id
  await page.goto(`${accord.url}/ui/sessions/${id}`)
  await page.getByRole('link', { name: 'node security of workflow code-review' }).waitFor()
  expect(complaints).toEqual([])
  await page.close()
})

it('updates live, shows hostile text as plain text, and can be stopped', async () => {
  await accord.agent('left', agentOf('left', model.baseUrl, FINDINGS))
  await accord.agent('right', agentOf('right', model.baseUrl, FINDINGS))
  await accord.agent('scribe', agentOf('scribe', model.baseUrl))
  await workflow('slow', SLOW)
  const { workflow_run_id } = await startRun('slow', {})
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflow-runs/${workflow_run_id}`)
  await node(page, 'left').getByText('Running').waitFor()
  await node(page, 'right').getByText('Running').waitFor()
  await node(page, 'writer').getByText('Waiting').waitFor()
  await seen(page, 'Nothing compared yet')
  await screenshot(page, 'workflow-run-running')
  model.say(finding('major'), finding('nit'))
  await node(page, 'left').getByText('Completed').waitFor()
  await node(page, 'writer').getByText('Running').waitFor()
  const card = page.getByRole('region', { name: 'Different severity: <b>a.rs</b>:7' })
  await card.getByText(/<script>alert\(2\)<\/script>/).first().waitFor()
  expect(await card.getByTitle('right-to-left override').count()).toBe(2)
  expect(await page.locator('main').locator('img, script, b').count()).toBe(0)
  await screenshot(page, 'workflow-run-hostile')
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('heading', { level: 1 }).getByText('Stopped').waitFor()
  await node(page, 'writer').getByText('Stopped').waitFor()
  await page.getByRole('tab', { name: 'Result' }).click()
  await seen(page, 'No result')
  expect(complaints).toEqual([])
  await page.close()
})

it('shows maps, plans, retries, checks and edges that were not taken', async () => {
  await accord.agent('measure', MEASURE)
  await accord.agent('planner', agentOf('planner', model.baseUrl))
  await accord.agent('helper', agentOf('helper', model.baseUrl))
  await workflow('many', MANY)
  const task = (id: string, dependencies: string[]) => ({
    id, description: `Do ${id} ${HOSTILE}`, agent: 'helper', dependencies, priority: 1,
  })
  model.say(JSON.stringify({ subtasks: [task('first', []), task('second', ['first'])] }), 'one', 'two')
  const { workflow_run_id } = await startRun('many', { items: ['a', 'bad', 'ccc'] })
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflow-runs/${workflow_run_id}`)
  await page.getByRole('heading', { level: 1 }).getByText('Completed').waitFor()
  await node(page, 'never').getByText('Skipped').waitFor()
  await node(page, 'enough').getByTitle('there are too few').waitFor()
  await node(page, 'each').getByText('1 failed').waitFor()
  await screenshot(page, 'workflow-run-many')
  await node(page, 'each').click()
  await seen(page, '2 completed · 1 failed')
  await seen(page, /cannot be measured/)
  await page.getByRole('link', { name: 'attempt 1: session and attempts' }).waitFor()
  await screenshot(page, 'workflow-run-map')
  await node(page, 'work').click()
  await seen(page, /after first/)
  expect(await page.locator('main').locator('img, script').count()).toBe(0)
  await screenshot(page, 'workflow-run-plan')
  expect(await violations(page)).toEqual([])
  await node(page, 'enough').click()
  await seen(page, 'there are too few')
  await node(page, 'never').click()
  await seen(page, 'not taken')
  expect(complaints).toEqual([])
  await page.close()
})

it('shows why and where it failed', async () => {
  await accord.agent('measure', MEASURE)
  await workflow('breaks', BREAKS)
  const { workflow_run_id } = await startRun('breaks', {})
  const { page } = await open(browser, `${accord.url}/ui/workflow-runs/${workflow_run_id}`)
  await page.getByRole('region', { name: 'Workflow failed' }).getByText(/cannot be measured/).waitFor()
  await node(page, 'broken').getByText('Failed').waitFor()
  await node(page, 'output').getByText('Skipped').waitFor()
  // The failed node is selected, and no contradictions are reported.
  await page.getByRole('tab', { name: 'Node broken', selected: true }).waitFor()
  await seen(page, 'not compared')
  await page.getByRole('region', { name: 'Node failed' }).getByText('(executor_failed)').waitFor()
  await screenshot(page, 'workflow-run-failed')
  expect(await violations(page)).toEqual([])
  await page.getByRole('tab', { name: 'Comparison' }).click()
  await seen(page, 'Not compared')
  await page.close()
})

it('resumes from the failed node', async () => {
  await accord.agent('measure', MEASURE)
  await workflow('breaks', BREAKS)
  const { workflow_run_id } = await startRun('breaks', {})
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflow-runs/${workflow_run_id}`)
  await page.getByRole('button', { name: 'Resume from the failed node' }).waitFor()
  // A resumed run loads agents again, and this one accepts every text.
  await accord.agent('measure', MEASURE.replace('= bad', '= nothing'))
  await vi.waitFor(async () => expect(JSON.stringify(await accord.ask('/agents/measure'))).toContain('= nothing'), { timeout: 10_000 })
  await page.getByRole('button', { name: 'Resume from the failed node' }).click()
  await page.getByRole('heading', { level: 1 }).getByText('Completed').waitFor()
  await node(page, 'broken').getByText('Completed').waitFor()
  expect(await violations(page)).toEqual([])
  expect(complaints).toEqual([])
  await page.close()
})

it('can be read on a phone', async () => {
  for (const [name, path] of [['list', ''], ['run', `/${reviewed}`], ['node', `/${reviewed}?node=writer`]] as const) {
    const { page } = await open(browser, `${accord.url}/ui/workflow-runs${path}`, { width: 390, height: 844 })
    await seen(page, 'code-review')
    if (name !== 'list') await node(page, 'writer').waitFor()
    await screenshot(page, `workflow-runs-${name}-phone`)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await page.close()
  }
})
