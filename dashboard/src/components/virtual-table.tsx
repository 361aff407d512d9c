/** A table of any length that renders only the visible rows. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { cn } from '@/lib/cn'

export interface Column<T> {
  header: string
  cell: (item: T) => ReactNode
  /** Classes for the width and the visibility: `w-28 max-md:hidden`. */
  className?: string
}

/** The range of visible rows, from 0. */
export interface Shown {
  first: number
  last: number
}

interface Props<T> {
  label: string
  items: T[]
  columns: Column<T>[]
  keyOf: (item: T) => string
  /** Called when the end is near. */
  onEnd?: () => void
  /** Whether more items can be loaded. */
  hasMore?: boolean
  /** Called when the visible rows change. */
  onShown?: (shown: Shown) => void
}

/** Two lines of text. */
const ROW_HEIGHT = 52
const OVERSCAN = 12

export function VirtualTable<T>(props: Props<T>) {
  const { label, items, columns, keyOf, onEnd, hasMore = false, onShown } = props
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  })
  useScrollAnchor(scroller, useMemo(() => items.map(keyOf), [items, keyOf]))
  const rows = virtual.getVirtualItems()
  const lastShown = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && lastShown >= items.length - 2 * OVERSCAN) onEnd?.()
  }, [hasMore, lastShown, items.length, onEnd])
  const { startIndex: first, endIndex: last } = virtual.range ?? {}
  useEffect(() => {
    if (first !== undefined && last !== undefined) onShown?.({ first, last })
  }, [first, last, onShown])
  return (
    <div
      role="table"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : items.length + 1}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div role="row" aria-rowindex={1} className="flex gap-4 border-b px-4 py-2 text-[0.93rem] font-medium text-muted">
        {columns.map((column) => (
          <span key={column.header} role="columnheader" className={cn('truncate', column.className ?? 'flex-1')}>
            {column.header}
          </span>
        ))}
      </div>
      {/* Focusable, so that the keyboard can scroll it. */}
      <div ref={scroller} tabIndex={0} role="rowgroup" className="min-h-0 flex-1 overflow-y-auto" onKeyDown={moveByArrows}>
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {rows.map((row) => {
            const item = items[row.index]
            if (item === undefined) return null
            return (
              <div
                key={keyOf(item)}
                role="row"
                aria-rowindex={row.index + 2}
                className="absolute inset-x-0 flex items-center gap-4 border-b px-4 hover:bg-hover"
                style={{ height: row.size, transform: `translateY(${row.start}px)` }}
              >
                {columns.map((column) => (
                  <div key={column.header} role="cell" className={cn('min-w-0 truncate', column.className ?? 'flex-1')}>
                    {column.cell(item)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/**
 * Keeps the top visible row in place when rows are added above it. At the very top it does nothing, so that new rows are
 * visible.
 */
function useScrollAnchor(scroller: RefObject<HTMLDivElement | null>, keys: string[]): void {
  const before = useRef(keys)
  useLayoutEffect(() => {
    const known = before.current
    before.current = keys
    const element = scroller.current
    if (element === null || element.scrollTop <= 0) return
    const top = Math.floor(element.scrollTop / ROW_HEIGHT)
    const key = known[top]
    const now = key === undefined || keys[top] === key ? top : keys.indexOf(key)
    if (now >= 0 && now !== top) element.scrollTop += (now - top) * ROW_HEIGHT
  }, [scroller, keys])
}

/** Arrow up and down move the focus between the links of the rows. */
function moveByArrows(event: KeyboardEvent<HTMLDivElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-link]')]
  const at = links.findIndex((link) => link === document.activeElement)
  if (at < 0) return
  const next = links[at + (event.key === 'ArrowDown' ? 1 : -1)]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
