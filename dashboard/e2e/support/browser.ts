/** Opens pages in Chromium and collects errors, policy violations and axe violations. */
import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Browser, type Page, chromium } from 'playwright-core'

const screenshots = fileURLToPath(new URL('../../screenshots/', import.meta.url))
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

const THEMES = ['light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    // The sandbox needs privileges that containers do not have.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
}

export interface Opened {
  page: Page
  /** Errors in the page and its console. */
  complaints: string[]
}

interface PageOptions {
  theme?: Theme
  width?: number
  height?: number
}

export async function open(browser: Browser, url: string, options: PageOptions = {}): Promise<Opened> {
  const { theme = 'light', width = 1280, height = 800 } = options
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce' })
  page.setDefaultTimeout(20_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // The browser logs failed requests itself; pages show them to the user.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text())
    }
  })
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog opened: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.goto(url)
  return { page, complaints }
}

/** Changes the system's colour scheme and waits until it is painted. */
async function prefer(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  )
}

/** Waits until a text is visible. */
export async function seen(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).filter({ visible: true }).first().waitFor()
}

export async function screenshot(page: Page, name: string): Promise<void> {
  await mkdir(screenshots, { recursive: true })
  await page.screenshot({ path: `${screenshots}${name}.png` })
}

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[]
}

/** The axe violations, one line each. */
export async function violations(page: Page): Promise<string[]> {
  const source = await readFile(axePath, 'utf8')
  // Injected through the debugger, because the page's Content-Security-Policy blocks script elements.
  await page.evaluate(source)
  const result = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<AxeResult> } }
    return axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })
  })
  return result.violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => `${node.html} ${node.failureSummary ?? ''}`).join(' | ')}`,
  )
}

/** The axe violations in both themes, with a screenshot of each. */
export async function violationsByTheme(page: Page, name: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const theme of THEMES) {
    await prefer(page, theme)
    await screenshot(page, `${name}-${theme}`)
    found[theme] = await violations(page)
  }
  return found
}
