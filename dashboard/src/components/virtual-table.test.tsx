import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { VirtualTable } from './virtual-table'

const names = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => `row ${from - index}`)

function table(items: string[]) {
  return <VirtualTable label="Rows" items={items} columns={[{ header: 'Name', cell: (item) => item }]} keyOf={(item) => item} />
}

it('keeps the visible rows in place when rows are added above', () => {
  const { rerender } = render(table(names(100, 1)))
  const scroller = screen.getAllByRole('rowgroup')[0] as HTMLElement
  rerender(table(names(102, 1)))
  expect(scroller.scrollTop).toBe(0)
  scroller.scrollTop = 530
  rerender(table(names(107, 1)))
  expect(scroller.scrollTop).toBe(790)
  // A removed row moves the view up.
  rerender(table(names(106, 1)))
  expect(scroller.scrollTop).toBe(738)
  // A list of other rows has no row to keep in place.
  rerender(table(['x', 'y']))
  expect(scroller.scrollTop).toBe(738)
})
