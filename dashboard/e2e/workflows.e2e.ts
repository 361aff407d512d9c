/** Workflows from creation to a run: drawing with mouse and keyboard, YAML, saving and concurrent changes. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, screenshot, seen } from './support/browser'
import { dragOnto, dragToCanvas, edgeCount, join, nodeIds, nodeOf } from './support/drawing'
import { type ScriptedModel, agentOf, startModel } from './support/model'
import { type Accord, startAccord } from './support/server'

let accord: Accord
let model: ScriptedModel
let browser: Browser

const FIXED = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }

beforeAll(async () => {
  accord = await startAccord({ examples: false })
  model = await startModel()
  await accord.agent('reader', agentOf('reader', model.baseUrl))
  await accord.agent('writer', agentOf('writer', model.baseUrl))
  await accord.agent('counter', agentOf('counter', model.baseUrl, FIXED))
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
  await model?.close()
})

interface Stored {
  hash: string
  workflow: { nodes: Record<string, Record<string, unknown>>; edges: object[] }
}

const stored = (name: string) => accord.ask<Stored>(`/workflows/${name}`)
const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' })
const saved = (page: Page) => page.getByText('Unsaved changes').waitFor({ state: 'hidden' })

async function put(name: string, workflow: object): Promise<void> {
  await accord.ask(`/workflows/${name}`, { method: 'PUT', body: JSON.stringify({ name, ...workflow }) })
}

const CHAIN = {
  nodes: {
    input: { type: 'input' },
    a: { type: 'agent', agent: 'reader', prompt: 'Read {{ input.text }}' },
    b: { type: 'agent', agent: 'writer', prompt: 'Write {{ a }}' },
    output: { type: 'output' },
  },
  edges: [{ from: 'input', to: 'a' }, { from: 'a', to: 'b' }, { from: 'b', to: 'output' }],
}

it('draws a workflow with nodes from the palette, edges and structured output', async () => {
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflows`)
  await seen(page, 'accord init --template code-review')
  await page.getByRole('link', { name: 'New workflow' }).click()
  await page.getByLabel('Name', { exact: true }).fill('read')
  await page.getByRole('heading', { level: 1 }).getByText('Draft').waitFor()
  await dragToCanvas(page, 'Add the agent reader', 0.5, 0.2)
  await dragToCanvas(page, 'Add the agent counter', 0.5, 0.8)
  await expect.poll(() => nodeIds(page)).toEqual(['counter', 'input', 'output', 'reader'])
  // Both stay where they were dropped.
  const canvas = await page.locator('.react-flow').boundingBox()
  for (const [id, along] of [['reader', 0.2], ['counter', 0.8]] as const) {
    const box = await nodeOf(page, id).boundingBox()
    expect(Math.abs((box?.y ?? 0) + (box?.height ?? 0) / 2 - (canvas?.y ?? 0) - (canvas?.height ?? 0) * along)).toBeLessThan(20)
  }
  for (const [from, to] of [['input', 'reader'], ['reader', 'output'], ['input', 'counter'], ['counter', 'output']] as const) await join(page, from, to)
  await expect.poll(() => edgeCount(page)).toBe(4)

  // The contract of an agent cannot be replaced.
  await dragOnto(page, 'Structured Output', 'counter')
  await seen(page, /has an output schema of its own/)
  await nodeOf(page, 'counter').getByText('1 field').waitFor()
  await dragOnto(page, 'Structured Output', 'reader')
  await inspector(page).getByRole('button', { name: 'Add field' }).click()
  await page.keyboard.type('score')
  await inspector(page).getByLabel('Type of score').selectOption('integer')
  await nodeOf(page, 'reader').getByText('2 fields').waitFor()
  await screenshot(page, 'workflow-drawn')

  await page.getByRole('button', { name: 'Create workflow' }).click()
  await page.getByRole('heading', { name: /^read Valid/, level: 1 }).waitFor()
  await page.reload()
  await nodeOf(page, 'reader').getByText('2 fields').waitFor()
  // The URL selects the node, and its fields are shown again.
  expect(new URL(page.url()).searchParams.get('node')).toBe('reader')
  await inspector(page).getByLabel('Type of score').waitFor()
  const { workflow } = await stored('read')
  expect(workflow.nodes.reader).toMatchObject({
    agent: 'reader',
    output_schema: { properties: { summary: { type: 'string' }, score: { type: 'integer' } }, required: ['summary', 'score'] },
  })
  expect(workflow.edges).toHaveLength(4)

  // Removing the chip removes the schema; undo restores it.
  await page.getByRole('button', { name: 'Remove Structured Output' }).click()
  await nodeOf(page, 'reader').getByText('2 fields').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Save' }).click()
  await saved(page)
  expect((await stored('read')).workflow.nodes.reader).not.toHaveProperty('output_schema')
  await page.locator('.react-flow__pane').click({ position: { x: 20, y: 20 } })
  await page.keyboard.press('Control+z')
  await nodeOf(page, 'reader').getByText('2 fields').waitFor()
  await page.keyboard.press('Control+Shift+Z')
  await nodeOf(page, 'reader').getByText('2 fields').waitFor({ state: 'hidden' })
  expect(complaints).toEqual([])
  await page.close()
})

it('rejects an edge that would close a cycle, and marks one whose schemas do not match', async () => {
  await put('chain', CHAIN)
  const { page } = await open(browser, `${accord.url}/ui/workflows/chain`)
  await expect.poll(() => edgeCount(page)).toBe(3)
  await join(page, 'b', 'a')
  await seen(page, 'No edge from b to a: it would create a cycle: a → b → a.')
  expect(await edgeCount(page)).toBe(3)
  await screenshot(page, 'workflow-circle')
  await page.close()

  const strict = { type: 'object', required: ['n'], properties: { n: { type: 'string' } }, additionalProperties: false }
  await accord.agent('strict', `${agentOf('strict', model.baseUrl)}parameters_schema: ${JSON.stringify(strict)}\n`)
  const { a, b, ...ends } = CHAIN.nodes
  void [a, b]
  await put('loose', {
    nodes: { ...ends, count: { type: 'agent', agent: 'counter', prompt: 'x' }, strict: { type: 'agent', agent: 'strict', parameters: { n: 'x' } } },
    edges: [{ from: 'input', to: 'count' }, { from: 'input', to: 'strict' }, { from: 'count', to: 'output' }, { from: 'strict', to: 'output' }],
  })
  const other = await open(browser, `${accord.url}/ui/workflows/loose?node=strict`)
  await other.page.getByRole('radio', { name: 'Inputs' }).click()
  await other.page.getByRole('button', { name: 'Remove the edge from input to strict' }).click()
  await join(other.page, 'count', 'strict')
  await other.page.locator('.react-flow__edge-path.graph-edge-wrong').waitFor()
  await seen(other.page, 'schemas do not match')
  await screenshot(other.page, 'workflow-cannot-fit')
  await other.page.close()
})

it('keeps graph and YAML in sync, with comments and located findings', async () => {
  await put('both', CHAIN)
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflows/both?as=yaml`)
  const editor = page.getByLabel('The workflow as YAML')
  await editor.press('Control+End')
  await page.keyboard.insertText('  # An edge too many.\n  - { from: a, to: output, when: output.x == }\n')
  await page.locator('.cm-lintRange-error').first().waitFor()
  await screenshot(page, 'workflow-yaml')
  await page.getByRole('radio', { name: 'Graph' }).click()
  await expect.poll(() => edgeCount(page)).toBe(4)
  await expect.poll(() => page.locator('.react-flow__edge-path.graph-edge-wrong').count()).toBe(1)
  await nodeOf(page, 'a').click()
  await inspector(page).getByLabel('Id', { exact: true }).fill('first')
  await page.keyboard.press('Enter')
  await nodeOf(page, 'first').waitFor()
  await page.getByRole('radio', { name: 'YAML' }).click()
  await expect.poll(() => editor.textContent()).toContain('# An edge too many.')
  expect(await editor.textContent()).toContain('prompt: Write {{ first }}')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => editor.textContent()).toContain('prompt: Write {{ a }}')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => editor.textContent()).not.toContain('too many')
  // Invalid YAML is reported, and the graph keeps the last valid version.
  await editor.press('Control+End')
  await page.keyboard.insertText('nodes: [')
  await seen(page, /The YAML cannot be parsed/)
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  expect(complaints).toEqual([])
  await page.close()
})

it('can be drawn with the keyboard alone', async () => {
  const { page } = await open(browser, `${accord.url}/ui/workflows/new`)
  await page.getByLabel('Name', { exact: true }).fill('by-keys')
  await page.getByRole('button', { name: 'Add the agent writer' }).press('Enter')
  await page.getByLabel('Add upstream node').selectOption('input')
  await page.getByLabel('Add downstream node').selectOption('output')
  await page.getByRole('button', { name: 'Structured Output', exact: true }).press('Enter')
  await nodeOf(page, 'writer').getByText('1 field').waitFor()
  await page.getByRole('button', { name: 'Add Check' }).press('Enter')
  await nodeOf(page, 'check').waitFor()
  // The position in the graph, not on the screen, because the view may still be moving.
  const position = () => nodeOf(page, 'check').evaluate((node) => new DOMMatrix(getComputedStyle(node).transform).e)
  const before = await position()
  const pushed = async () => {
    await nodeOf(page, 'check').press('ArrowRight')
    return (await position()) > before
  }
  await expect.poll(pushed).toBe(true)
  await page.keyboard.press('Delete')
  await expect.poll(() => nodeIds(page)).toEqual(['input', 'output', 'writer'])
  await page.keyboard.press('Control+s')
  await page.getByRole('heading', { name: 'by-keys' }).waitFor()
  expect((await stored('by-keys')).workflow.edges).toEqual([{ from: 'input', to: 'writer' }, { from: 'writer', to: 'output' }])
  await page.close()
})

it('offers only map nodes to finish all items before failing', async () => {
  await put('each', {
    nodes: { ...CHAIN.nodes, b: { type: 'map', over: '{{ input.list }}', agent: 'writer', prompt: 'Write {{ item }}' } },
    edges: [...CHAIN.edges, { from: 'input', to: 'b' }],
  })
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflows/each?node=a`)
  const policy = inspector(page).getByLabel('On failure')
  await policy.waitFor()
  expect(await policy.locator('option').allTextContents()).toEqual(['Fail the run', 'Continue without it', 'Retry'])
  await page.goto(`${accord.url}/ui/workflows/each?node=b`)
  await inspector(page).getByLabel('Concurrency').waitFor()
  await policy.selectOption('Finish all items, then fail the run')
  await page.getByRole('button', { name: 'Save' }).click()
  await saved(page)
  expect((await stored('each')).workflow.nodes.b).toMatchObject({ on_failure: 'fail_at_end' })
  expect(complaints).toEqual([])
})

it('shows both versions when somebody else saved first, and merges changes of different nodes', async () => {
  await put('shared', CHAIN)
  const { page } = await open(browser, `${accord.url}/ui/workflows/shared?node=b`)
  await inspector(page).getByLabel('Description').fill('Mine')
  const { hash } = await stored('shared')
  await put('shared', { ...CHAIN, nodes: { ...CHAIN.nodes, a: { ...CHAIN.nodes.a, description: 'Theirs' } } })
  expect((await stored('shared')).hash).not.toBe(hash)
  await page.getByRole('button', { name: 'Save' }).click()
  await seen(page, 'shared was changed elsewhere')
  await screenshot(page, 'workflow-conflict')
  await page.getByRole('button', { name: 'Keep both' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await saved(page)
  const { nodes } = (await stored('shared')).workflow
  expect([nodes.a?.description, nodes.b?.description]).toEqual(['Theirs', 'Mine'])
  await page.getByRole('button', { name: 'Delete the workflow' }).click()
  await page.getByRole('button', { name: 'Delete the workflow' }).last().click()
  await page.getByRole('heading', { name: 'Workflows' }).waitFor()
  await page.close()
})

it('shows input errors at their fields and starts no run', async () => {
  await put('asks', { ...CHAIN, nodes: { ...CHAIN.nodes, input: { type: 'input', schema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } } } })
  const { page } = await open(browser, `${accord.url}/ui/workflows/asks`)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('button', { name: 'Run it' }).click()
  await seen(page, 'Required')
  await page.getByLabel('text').fill('a text')
  model.say('read', 'written')
  await page.getByRole('button', { name: 'Run it' }).click()
  await page.waitForURL(/\/ui\/workflow-runs\/wfr_/)
  await nodeOf(page, 'output').getByText('Completed').waitFor()
  await page.close()
})
