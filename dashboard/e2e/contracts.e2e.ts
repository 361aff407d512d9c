/** Contract failures in the dashboard, and hostile model output, which must never be executed. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open, screenshot, seen } from './support/browser'
import { type ScriptedModel, agentOf, startModel } from './support/model'
import { type Accord, startAccord } from './support/server'

let accord: Accord
let model: ScriptedModel
let browser: Browser

const SCHEMA = {
  type: 'object',
  required: ['note', 'severity'],
  additionalProperties: false,
  properties: { note: { type: 'string' }, severity: { type: 'string', enum: ['low', 'high'] } },
}

beforeAll(async () => {
  accord = await startAccord()
  model = await startModel()
  await accord.agent('scripted', agentOf('scripted', model.baseUrl, SCHEMA))
  await accord.agent('talker', agentOf('talker', model.baseUrl))
  await accord.agent('exact', agentOf('exact', model.baseUrl, { type: 'object', properties: { n: { type: 'number' } } }))
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await accord?.close()
  await model?.close()
})

interface Run {
  session_id: string
  status: string
}

const start = (agent: string, wait = 30) =>
  accord.ask<Run>(`/runs?wait=${wait}`, { method: 'POST', body: JSON.stringify({ agent_name: agent, prompt: 'Go' }) })

it('dashboard shows validation status on sessions: why an output did not match, and where', async () => {
  model.say('{"note": "x", "severity": "critical"}', 'Sorry:\n```json\n{"note": 7, "severity": "low"}\n```')
  const run = await start('scripted')
  expect(run.status).toBe('failed')
  const { page, complaints } = await open(browser, `${accord.url}/ui/sessions/${run.session_id}?view=attempts`)
  await seen(page, 'Output Schema: Validation Failed')
  await seen(page, 'Retry attempts: 1/1 exhausted')
  // Errors are highlighted without a click.
  await expect.poll(() => page.locator('mark').allTextContents()).toEqual(['7'])
  await page.getByRole('link', { name: /Attempt 1/ }).click()
  await page.getByRole('button', { name: /\$\.severity/ }).click()
  expect(await page.locator('mark').textContent()).toBe('"critical"')
  expect(page.url()).toContain('error=')
  await page.getByRole('link', { name: /Attempt 2/ }).click()
  await page.getByRole('button', { name: /\$\.note/ }).click()
  expect(await page.locator('mark').textContent()).toBe('7')
  // The selected error is in the URL, so that the link can be shared.
  await page.reload()
  expect(await page.locator('mark').textContent()).toBe('7')
  await screenshot(page, 'located-error')
  expect(complaints).toEqual([])
  await page.close()
})

it('keeps the tabs of a failed session visible on a phone', async () => {
  model.say('{"note": "x", "severity": "critical"}', '{"note": 7, "severity": "critical", "more": 1}')
  const run = await start('scripted')
  const { page, complaints } = await open(browser, `${accord.url}/ui/sessions/${run.session_id}`, { width: 380, height: 700 })
  await seen(page, 'Output Schema: Validation Failed')
  const tabs = await page.getByRole('tablist', { name: 'Parts of the session' }).boundingBox()
  expect(tabs?.height).toBeGreaterThan(20)
  await page.getByRole('tab', { name: 'Attempts' }).click()
  await seen(page, 'Model output')
  await screenshot(page, 'failed-session-phone')
  expect(complaints).toEqual([])
  await page.close()
})

it('dashboard shows validation status on sessions: valid after a retry, with the changes', async () => {
  model.say('{"note": "x", "severity": "critical"}', '{"note": "x", "severity": "high"}')
  const run = await start('scripted')
  expect(run.status).toBe('completed')
  const { page } = await open(browser, `${accord.url}/ui/sessions/${run.session_id}`)
  await seen(page, 'Output Schema: Valid')
  await seen(page, 'Accepted after 1 retry')
  await page.getByRole('link', { name: 'Attempt 1' }).click()
  await page.getByRole('link', { name: 'Attempt 2' }).click()
  await seen(page, 'Changes from attempt 1')
  await seen(page, 'removed: "severity": "critical"')
  await seen(page, 'added: "severity": "high"')
  await screenshot(page, 'difference')
  await page.getByRole('tab', { name: 'Result' }).click()
  await page.getByRole('radio', { name: 'Text' }).click()
  await seen(page, '"severity": "high"')
  await page.close()
})

it('keeps the digits of numbers', async () => {
  const number = '12345678901234567890.10'
  model.say(`{"n": ${number}}`)
  const run = await start('exact')
  const { page } = await open(browser, `${accord.url}/ui/sessions/${run.session_id}?view=result`)
  await seen(page, number)
  await page.close()
})

it('shows hostile output as plain text', async () => {
  const hostile = [
    '<script>window.hacked = 1; alert(1)</script>',
    '<img src=x onerror="window.hacked = 1">',
    '<svg onload="window.hacked = 1"><iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>',
    '[a](javascript:window.hacked=1)',
    'safe\u202Etxt.exe\u202C\u200B',
  ].join('\n')
  const line = 'A'.repeat(1_000_000)
  const note = hostile + line
  model.say(JSON.stringify({ note, severity: 'critical' }), JSON.stringify({ note, severity: 'low' }))
  const run = await start('scripted')
  for (const view of ['timeline', 'attempts', 'result']) {
    const { page, complaints } = await open(browser, `${accord.url}/ui/sessions/${run.session_id}?view=${view}`)
    await seen(page, /<script>|Attempt 1/)
    if (view === 'result') {
      await seen(page, 'U+202E')
      await seen(page, 'Show more (980 kB hidden)')
      await page.getByRole('button', { name: /Show more/ }).click()
      await seen(page, 'Show more (880 kB hidden)')
    }
    if (view === 'attempts') {
      await page.getByRole('link', { name: /Attempt 1/ }).click()
      await seen(page, /Show more/)
      const shown = await page.getByRole('region', { name: 'Output', exact: true }).textContent()
      expect(shown?.length).toBeLessThan(50_000)
      // The error is after the million letters, so the text around it is shown.
      await page.getByRole('button', { name: /\$\.severity/ }).click()
      expect(await page.locator('mark').textContent()).toBe('"critical"')
      await screenshot(page, 'hostile')
    }
    const executed = await page.evaluate(() => ({
      hacked: 'hacked' in window,
      elements: document.querySelectorAll('main script, main iframe, main img, main a[href^="javascript"]').length,
    }))
    expect(executed).toEqual({ hacked: false, elements: 0 })
    expect(complaints).toEqual([])
    await page.close()
  }
})

it('stops a run and resumes its session', async () => {
  const run = await start('talker', 0)
  const { page } = await open(browser, `${accord.url}/ui/sessions/${run.session_id}`)
  await seen(page, 'Running')
  await page.getByRole('button', { name: 'Stop' }).click()
  await seen(page, 'Stopped')
  model.say('the answer that nobody waits for', 'Hello again.')
  await page.getByRole('button', { name: 'Resume' }).click()
  // The field has the focus, so typing works at once.
  await page.getByLabel('Prompt').waitFor()
  await page.keyboard.type('Go on')
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await seen(page, 'Finished')
  await page.getByRole('tab', { name: 'Result' }).click()
  await seen(page, /Hello again\.|nobody waits for/)
  await page.close()
})
