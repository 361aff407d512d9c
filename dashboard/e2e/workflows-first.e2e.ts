/** A first workflow drawn by mouse, and edges that stay at their handles. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, screenshot, seen } from './support/browser'
import { dragToCanvas, edgeCount, join, nodeOf } from './support/drawing'
import { type ScriptedModel, agentOf, startModel } from './support/model'
import { type Accord, startAccord } from './support/server'

let accord: Accord
let model: ScriptedModel
let browser: Browser

const TICKET = { type: 'object', required: ['ticket'], properties: { ticket: { type: 'string' } }, additionalProperties: false }

beforeAll(async () => {
  accord = await startAccord({ examples: false })
  model = await startModel()
  await accord.agent('reader', agentOf('reader', model.baseUrl))
  await accord.agent('writer', agentOf('writer', model.baseUrl))
  await accord.agent('triage', `${agentOf('triage', model.baseUrl)}parameters_schema: ${JSON.stringify(TICKET)}\n`)
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
  await model?.close()
})

const CHAIN = {
  nodes: {
    input: { type: 'input' },
    a: { type: 'agent', agent: 'reader', prompt: 'Read {{ input.text }}' },
    b: { type: 'agent', agent: 'writer', prompt: 'Write {{ a }}' },
    output: { type: 'output' },
  },
  edges: [{ from: 'input', to: 'a' }, { from: 'a', to: 'b' }, { from: 'b', to: 'output' }],
}

/** How far each edge begins from the handle of its source, in pixels. */
const gaps = (page: Page) =>
  page.locator('.react-flow__edge').evaluateAll((edges) =>
    edges.map((edge) => {
      const path = edge.querySelector<SVGPathElement>('.react-flow__edge-path')
      const [source] = (edge.getAttribute('data-testid') ?? edge.getAttribute('data-id') ?? '').split(' ')
      const from = edge.getAttribute('aria-label')?.match(/^From (\S+) to/)?.[1] ?? source
      const handle = document.querySelector(`.react-flow__node[data-id="${from}"] .react-flow__handle.source`)?.getBoundingClientRect()
      const matrix = path?.getScreenCTM()
      if (path === null || handle === undefined || !matrix) return Infinity
      const start = path.getPointAtLength(0).matrixTransform(matrix)
      return Math.round(Math.hypot(start.x - handle.x - handle.width / 2, start.y - handle.y - handle.height / 2))
    }),
  )

it('draws a first workflow by mouse that is valid at once, for an agent with an input of its own', async () => {
  const { page, complaints } = await open(browser, `${accord.url}/ui/workflows/new`)
  await page.getByLabel('Name', { exact: true }).fill('first')
  await dragToCanvas(page, 'Add the agent triage', 0.5, 0.5)
  await join(page, 'input', 'triage')
  await seen(page, 'The input of the workflow now has the fields that triage takes.')
  await join(page, 'triage', 'output')
  await expect.poll(() => edgeCount(page)).toBe(2)
  await nodeOf(page, 'triage').click()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByText('Parameters', { exact: true }).click()
  await inspector.getByText('ticket: "{{ input.ticket }}"').waitFor()
  await screenshot(page, 'workflow-first')
  await page.getByRole('button', { name: 'Create workflow' }).click()
  await page.getByRole('heading', { name: /^first Valid/, level: 1 }).waitFor()
  expect((await accord.ask<{ workflow: { nodes: object } }>('/workflows/first')).workflow.nodes).toMatchObject({
    input: { schema: TICKET },
    triage: { parameters: { ticket: '{{ input.ticket }}' } },
  })
  expect(complaints).toEqual([])
  await page.close()
})

it('keeps edges at their handles when the graph turns', async () => {
  await accord.ask('/workflows/turning', { method: 'PUT', body: JSON.stringify({ name: 'turning', ...CHAIN }) })
  const { page } = await open(browser, `${accord.url}/ui/workflows/turning`)
  await expect.poll(() => edgeCount(page)).toBe(3)
  await expect.poll(() => gaps(page).then((all) => Math.max(...all))).toBeLessThan(8)
  await page.setViewportSize({ width: 600, height: 900 })
  await expect.poll(() => nodeOf(page, 'a').locator('.react-flow__handle.source').getAttribute('data-handlepos')).toBe('bottom')
  await expect.poll(() => gaps(page).then((all) => Math.max(...all))).toBeLessThan(8)
  await page.close()
})
