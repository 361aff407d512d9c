/** Agents from creation to a result: the field builder, saving, test runs and concurrent changes. */
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, screenshot, seen } from './support/browser'
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

interface View {
  hash: string
  blueprint: Record<string, unknown> & { output_schema: { properties: object; required: string[] } }
}

const stored = (name: string) => accord.ask<View>(`/agents/${name}`)
const fieldNames = (page: Page) =>
  page.getByLabel('Name', { exact: true }).filter({ visible: true }).evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value))

async function addField(page: Page, name: string, type?: string): Promise<void> {
  await page.getByRole('button', { name: 'Add field' }).last().click()
  // The new field's name is selected: typing replaces it.
  await page.keyboard.type(name)
  if (type !== undefined) await page.getByLabel(`Type of ${name}`).selectOption(type)
}

it('creates an agent with the field builder and runs it', async () => {
  const { page, complaints } = await open(browser, `${accord.url}/ui/agents`)
  await page.getByRole('link', { name: 'New agent' }).click()
  await page.getByLabel('Name').fill('reviewer')
  await page.getByLabel('Description').fill('Reviews a change')
  await page.getByLabel('Provider').fill('openai-compatible')
  await page.getByLabel('Model', { exact: true }).fill('scripted')
  await page.getByLabel('Base URL').fill(model.baseUrl)
  await page.getByRole('tab', { name: 'Output Schema' }).click()
  await seen(page, 'Enforced on every run.')
  await addField(page, 'severity', 'enum')
  await page.getByLabel('Allowed values, one per line').fill('low\nhigh')
  await addField(page, 'score', 'integer')
  await page.getByRole('button', { name: 'Constraints of score' }).click()
  await page.getByLabel('Maximum').fill('10')
  await page.getByLabel('score is required').uncheck()
  expect(await fieldNames(page)).toEqual(['summary', 'severity', 'score'])

  // Move it up with the keyboard.
  await page.getByRole('button', { name: 'Move score', exact: true }).focus()
  await page.keyboard.press('Space')
  await seen(page, /score is picked up at position 3 of 3/)
  await page.keyboard.press('ArrowUp')
  await seen(page, /score would move to position 2 of 3/)
  await page.keyboard.press('Space')
  await expect.poll(() => fieldNames(page)).toEqual(['summary', 'score', 'severity'])
  // Drag it to the top.
  await dragTo(page, 'severity', 'summary')
  await expect.poll(() => fieldNames(page)).toEqual(['severity', 'summary', 'score'])
  await screenshot(page, 'agent-builder')

  await page.getByRole('button', { name: 'Create agent' }).click()
  await page.getByRole('heading', { name: 'reviewer' }).waitFor()
  await page.reload()
  await expect.poll(() => fieldNames(page)).toEqual(['severity', 'summary', 'score'])
  const { blueprint } = await stored('reviewer')
  expect(Object.keys(blueprint.output_schema.properties)).toEqual(['severity', 'summary', 'score'])
  expect(blueprint.output_schema).toMatchObject({
    properties: { severity: { type: 'string', enum: ['low', 'high'] }, score: { type: 'integer', maximum: 10 } },
    required: ['summary', 'severity'],
  })

  model.say('{"summary": "s", "severity": "critical"}', '{"severity": "high", "summary": "Do not merge it"}')
  await page.getByRole('tab', { name: 'Try it' }).click()
  await page.getByLabel('prompt').fill('Review this')
  await page.getByRole('button', { name: 'Run it' }).click()
  await seen(page, 'Output Schema: Valid')
  await seen(page, 'accepted after 1 retry')
  await seen(page, 'Attempt 2')
  await seen(page, /got "critical"/)
  await seen(page, '“Do not merge it”')
  await screenshot(page, 'agent-tried')
  expect(complaints).toEqual([])
  await page.close()
})

/** Drags a field to the position of the target, which must be the first. */
async function dragTo(page: Page, name: string, target: string): Promise<void> {
  const from = await page.getByRole('button', { name: `Move ${name}`, exact: true }).boundingBox()
  const to = await page.getByRole('button', { name: `Move ${target}`, exact: true }).boundingBox()
  if (from === null || to === null) throw new Error('the handles are not visible')
  await page.mouse.move(from.x + 5, from.y + 5)
  await page.mouse.down()
  await page.mouse.move(from.x + 5, from.y - 10, { steps: 3 })
  await page.mouse.move(to.x + 5, to.y - 5, { steps: 8 })
  // Release only after the list has updated, which takes a few more moves on a busy machine.
  let nudges = 0
  await expect
    .poll(async () => {
      await page.mouse.move(to.x + 5, to.y - 5 - (nudges++ % 3))
      return page.getByText(`${name} would move to position 1 of`).count()
    })
    .toBeGreaterThan(0)
  await page.mouse.up()
}

it('shows why an output did not match the contract', async () => {
  await accord.agent('stubborn', agentOf('stubborn', model.baseUrl, { type: 'object', required: ['n'], properties: { n: { type: 'integer', minimum: 5 } } }))
  model.say('{"n": 1}', '{"n": 2}')
  const { page } = await open(browser, `${accord.url}/ui/agents/stubborn?tab=try`)
  await page.getByLabel('prompt').fill('Count')
  await page.getByRole('button', { name: 'Run it' }).click()
  await seen(page, 'Output Schema: Validation Failed')
  await seen(page, 'Retry attempts: 1/1 exhausted')
  await seen(page, /\$\.n: .*got 2/)
  await seen(page, 'Attempt 2')
  await screenshot(page, 'agent-failed')
  // The run is in the URL.
  await page.reload()
  await seen(page, 'Output Schema: Validation Failed')
  await page.close()
})

it('shows parameter errors at their fields and starts no run', async () => {
  const { page } = await open(browser, `${accord.url}/ui/runs/new?agent=release-notes`)
  await page.getByRole('button', { name: 'Run it' }).click()
  await seen(page, 'Required')
  expect(await page.getByLabel('version').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('version').fill('1.4.0')
  await page.getByRole('button', { name: 'Run it' }).click()
  await expect.poll(() => page.getByLabel('version').getAttribute('aria-invalid')).toBeNull()
  expect((await accord.ask<{ items: unknown[] }>('/runs?agent_name=release-notes')).items).toEqual([])
  // The recorded input.
  const input = JSON.parse(await readFile(join(accord.folder, '.accord/inputs/release.json'), 'utf8')) as { version: string; commits: string[] }
  await page.getByLabel('version').fill(input.version)
  for (const [index, commit] of input.commits.entries()) {
    await page.getByRole('button', { name: 'Add to commits' }).click()
    await page.getByLabel(`commits ${index + 1}`, { exact: true }).fill(commit)
  }
  await page.getByRole('button', { name: 'Run it' }).click()
  await seen(page, 'accepted after 1 retry')
  await page.close()
})

it("accepts a caller's contract, inline or from the registry", async () => {
  await accord.agent('talker', agentOf('talker', model.baseUrl))
  await accord.ask('/schemas', { method: 'POST', body: JSON.stringify({ name: 'city', schema: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } } }) })
  const { page } = await open(browser, `${accord.url}/ui/agents/talker?tab=try`)
  await page.getByLabel('prompt').fill('Where?')
  await page.getByRole('radio', { name: 'Registered' }).click()
  await page.getByLabel('Schema', { exact: true }).selectOption('city')
  await page.getByText('Options', { exact: true }).click()
  await page.getByLabel('Retries').fill('0')
  model.say('no idea')
  await page.getByRole('button', { name: 'Run it' }).click()
  await seen(page, 'Retry attempts: 0/0 exhausted')
  await page.getByRole('radio', { name: 'Inline' }).click()
  model.say('{"answer": "Oslo"}')
  await page.getByRole('button', { name: 'Run it' }).click()
  await seen(page, '“Oslo”')
  await page.getByRole('radio', { name: "The agent's" }).click()
  model.say('Just Oslo')
  await page.getByRole('button', { name: 'Run it' }).click()
  await page.getByRole('region', { name: 'Result' }).getByText('Just Oslo').waitFor()
  await page.close()
})

it('shows both versions when somebody else saved first, and keeps both changes', async () => {
  await accord.ask('/agents', { method: 'POST', body: JSON.stringify({ name: 'shared', description: 'old', executor: { type: 'codex' } }) })
  const { page } = await open(browser, `${accord.url}/ui/agents/shared`)
  await page.getByLabel('Description').fill('mine')
  await accord.ask('/agents/shared', { method: 'PATCH', body: JSON.stringify({ tags: ['theirs'] }) })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: 'shared was changed elsewhere' }).waitFor()
  await screenshot(page, 'agent-conflict')
  await page.getByRole('button', { name: 'Keep both' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  expect((await stored('shared')).blueprint).toMatchObject({ description: 'mine', tags: ['theirs'] })
  // Leaving with unsaved changes asks for confirmation.
  await page.getByLabel('Description').fill('again')
  await page.getByRole('link', { name: 'Runners' }).click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByLabel('Description').inputValue()).toBe('again')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete the agent' }).click()
  await page.getByRole('heading', { name: 'Agents' }).waitFor()
  expect(await accord.ask('/agents/shared')).toMatchObject({ error: 'AgentNotFound' })
  await page.close()
})

it('saves a file agent to its file, and explains why a read-only file cannot be saved', async () => {
  const file = join(accord.folder, '.accord/agents/ticket-triage/agent.yaml')
  const { page } = await open(browser, `${accord.url}/ui/agents/ticket-triage`)
  await seen(page, /Saved in .*ticket-triage\/agent\.yaml/)
  await page.getByLabel('Description').fill('Sorts tickets anew')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  expect(await readFile(file, 'utf8')).toContain('Sorts tickets anew')
  await chmod(file, 0o444)
  await page.getByLabel('Description').fill('Not again')
  await page.getByRole('button', { name: 'Save' }).click()
  await seen(page, 'This cannot be saved here.')
  await seen(page, /cannot be written: the file is read-only/)
  await screenshot(page, 'agent-read-only')
  await chmod(file, 0o644)
  await page.close()
})
