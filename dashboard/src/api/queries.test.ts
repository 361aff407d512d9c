import { expect, it, vi } from 'vitest'
import { api, everyItem } from './client'
import { agentsQuery } from './queries'

it('fetches every page of a list', async () => {
  const pages = { first: { items: [1, 2], next_cursor: 'second' }, second: { items: [3], next_cursor: null } }
  const cursors: (string | undefined)[] = []
  const items = await everyItem(async (cursor) => {
    cursors.push(cursor)
    return cursor === 'second' ? pages.second : pages.first
  })
  expect([items, cursors]).toEqual([[1, 2, 3], [undefined, 'second']])
})

it('requests all agents without a limit', async () => {
  const get = vi.spyOn(api, 'GET').mockResolvedValue({ data: { items: [] }, response: new Response() } as never)
  await (agentsQuery().queryFn as () => Promise<unknown>)()
  expect(get.mock.calls).toEqual([['/agents']])
})
