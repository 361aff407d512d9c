/** Drags and connects nodes in the workflow editor. */
import type { Locator, Page } from 'playwright-core'

export const nodeOf = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
export const nodeIds = (page: Page) =>
  page.locator('.react-flow__node').evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset.id ?? '').sort())
export const edgeCount = (page: Page) => page.locator('.react-flow__edge').count()

/** More frames than the canvas takes before it fits a grown graph to the view. */
const STILL_FRAMES = 20

/** Waits until the nodes stop moving. */
async function waitUntilStill(page: Page): Promise<void> {
  await page.evaluate(async (frames) => {
    const where = () => JSON.stringify([...document.querySelectorAll('.react-flow__node')].map((each) => each.getBoundingClientRect()))
    let before = where()
    for (let same = 0; same < frames; ) {
      await new Promise(requestAnimationFrame)
      const now = where()
      same = now === before ? same + 1 : 0
      before = now
    }
  }, STILL_FRAMES)
}

async function middle(target: Locator): Promise<{ x: number; y: number }> {
  const box = await target.boundingBox()
  if (box === null) throw new Error('the element is not visible')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

async function drag(page: Page, from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 6 })
  await page.mouse.move(to.x, to.y, { steps: 6 })
  await page.mouse.up()
}

/** Drags an item from the palette to the canvas. The position is a fraction of its width and height. */
export async function dragToCanvas(page: Page, item: string, across: number, along: number): Promise<void> {
  const canvas = await page.locator('.react-flow').boundingBox()
  if (canvas === null) throw new Error('there is no canvas')
  const from = await middle(page.getByRole('button', { name: item, exact: true }))
  await drag(page, from, { x: canvas.x + canvas.width * across, y: canvas.y + canvas.height * along })
}

/** Drags an item from the palette onto a node. */
export async function dragOnto(page: Page, item: string, id: string): Promise<void> {
  await waitUntilStill(page)
  await drag(page, await middle(page.getByRole('button', { name: item, exact: true })), await middle(nodeOf(page, id)))
}

/** Draws an edge from the source handle of one node to the target handle of another. */
export async function join(page: Page, from: string, to: string): Promise<void> {
  await waitUntilStill(page)
  const source = await middle(nodeOf(page, from).locator('.react-flow__handle.source'))
  const target = await middle(nodeOf(page, to).locator('.react-flow__handle.target'))
  await drag(page, source, target)
}
