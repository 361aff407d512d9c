/** Ten thousand sessions in the real database: lists stay fast and live, counts stay exact. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, screenshot, seen } from './support/browser'
import { type Accord, startAccord } from './support/server'

const SESSIONS = 10_000
/** The number of concurrent requests that the server handles without long waits. */
const CONCURRENCY = 32
/** A debug build on a busy machine takes half a minute. */
const SEEDING_MS = 180_000

let accord: Accord
let browser: Browser
let oldest = ''

/** No runner has this tag, so its runs stay pending and cost nothing. */
const PARKED = `
name: parked
description: Waits for a runner that never comes
type: procedural
executor: { type: process, command: "true" }
demands: { tags: [nobody] }
parameters_schema: { type: object, required: [number], properties: { number: { type: integer } } }
`

beforeAll(async () => {
  accord = await startAccord()
  browser = await launch()
  await accord.agent('parked', PARKED)
  const start = (number: number) =>
    accord.ask<{ session_id: string }>('/runs', {
      method: 'POST',
      body: JSON.stringify({ agent_name: 'parked', parameters: { number } }),
    })
  oldest = (await start(0)).session_id
  let next = 1
  const worker = async () => {
    while (next < SESSIONS) await start(next++)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}, SEEDING_MS)

afterAll(async () => {
  await browser?.close()
  await accord?.close()
})

const rows = (page: Page) => page.locator('[data-row-link]')

it('scrolls from the newest to the oldest with few rows in the page', async () => {
  const { page, complaints } = await open(browser, `${accord.url}/ui/sessions`)
  await rows(page).nth(0).waitFor()
  const table = page.getByRole('rowgroup')
  const last = page.getByTitle(oldest, { exact: true }).first()
  for (let round = 0; round < 200 && !(await last.isVisible()); round += 1) {
    await table.evaluate(async (element) => {
      element.scrollTo(0, element.scrollHeight)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    })
  }
  await last.waitFor()
  await seen(page, 'of 10,000, newest first')
  expect(await rows(page).count()).toBeLessThan(100)
  await screenshot(page, 'sessions-many')
  expect(complaints).toEqual([])
  await page.close()
})

it('stays live and counts pending runs exactly', async () => {
  const { page } = await open(browser, `${accord.url}/ui/`)
  await seen(page, '10,000 pending')
  await page.getByRole('navigation').getByRole('link', { name: 'Sessions' }).click()
  await rows(page).nth(0).waitFor()
  await accord.run('run', 'word-count', '--param', 'text=one two')
  await page.getByRole('link', { name: 'word-count' }).waitFor()
  await page.close()
})
