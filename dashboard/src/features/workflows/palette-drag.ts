/** Dragging from the palette with a mouse or a pen. With touch and keyboard, items are added by tapping or pressing them. */
import { type PointerEvent as ReactPointerEvent, useCallback, useEffect, useRef, useState } from 'react'
import type { NodeKind, Point } from '@/components/graph'

/** What can be dragged: a new node, or a structured output for an existing node. */
export type DragItem =
  | { kind: 'node'; node: NodeKind; worker?: { kind: 'agent' | 'workflow'; name: string } }
  | { kind: 'schema' }

export interface Dragged {
  item: DragItem
  at: Point
  /** The node below the pointer. */
  over: string | null
}

/** A smaller movement counts as a click. */
const DRAG_THRESHOLD_PX = 5

/** What is below a point of the window. */
function below({ x, y }: Point): { canvas: boolean; over: string | null } {
  const element = document.elementFromPoint(x, y)
  const node = element?.closest<HTMLElement>('.react-flow__node')
  return { canvas: element?.closest('.react-flow') != null, over: node?.dataset.id ?? null }
}

type Drop = (item: DragItem, at: Point, over: string | null) => void

export function usePaletteDrag(onDrop: Drop) {
  const [dragged, setDragged] = useState<Dragged | null>(null)
  const drop = useRef(onDrop)
  const end = useRef<(() => void) | null>(null)
  /** Set during a drag, to ignore the click at its end. */
  const justDragged = useRef(false)
  useEffect(() => {
    drop.current = onDrop
  }, [onDrop])
  useEffect(() => () => end.current?.(), [])

  const press = useCallback((item: DragItem, event: ReactPointerEvent) => {
    justDragged.current = false
    if (event.button !== 0 || event.pointerType === 'touch') return
    const from = { x: event.clientX, y: event.clientY }
    let moving = false
    const move = (now: PointerEvent) => {
      moving ||= Math.hypot(now.clientX - from.x, now.clientY - from.y) > DRAG_THRESHOLD_PX
      if (!moving) return
      justDragged.current = true
      const at = { x: now.clientX, y: now.clientY }
      setDragged({ item, at, over: below(at).over })
    }
    const stop = () => {
      window.removeEventListener('pointermove', move)
      window.removeEventListener('pointerup', release)
      window.removeEventListener('pointercancel', stop)
      window.removeEventListener('keydown', escape)
      end.current = null
      setDragged(null)
    }
    const release = (now: PointerEvent) => {
      const at = { x: now.clientX, y: now.clientY }
      const { canvas, over } = below(at)
      stop()
      if (moving && canvas) drop.current(item, at, over)
    }
    const escape = (key: KeyboardEvent) => {
      if (key.key === 'Escape') stop()
    }
    window.addEventListener('pointermove', move)
    window.addEventListener('pointerup', release)
    window.addEventListener('pointercancel', stop)
    window.addEventListener('keydown', escape)
    end.current = stop
  }, [])
  const wasDrag = useCallback(() => justDragged.current, [])
  return { dragged, press, wasDrag }
}

export type PaletteDrag = ReturnType<typeof usePaletteDrag>
