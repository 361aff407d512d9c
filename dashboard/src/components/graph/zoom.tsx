import { Panel, type Rect, getViewportForBounds, useReactFlow, useStore, useStoreApi } from '@xyflow/react'
import { Maximize, Minus, Plus } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import { Button } from '@/components/ui'

/** A canvas shows nothing smaller than this. */
export const FURTHEST = 0.1
/** Nothing is enlarged beyond its own size, and a little air stays around. */
const [NEAREST, AIR] = [1, 0.06]

/** A drawing that could be so much larger is shown larger. */
const WORTH_IT = 1.15

/** How long the canvas takes to show something else. */
const GLIDE_MS = 200

interface Props {
  /** All of the drawing: its nodes, and edges that lead around them. */
  bounds: Rect
  /** Whether all of it is shown, as large as it can be, whenever it changes. */
  follow?: boolean
  children?: ReactNode
}

/** Nearer, further, all of it; and whatever else belongs there. Shows all of it at first. */
export function Zoom({ bounds, follow = false, children }: Props) {
  const flow = useReactFlow()
  const store = useStoreApi()
  const ready = useStore((state) => state.width > 0 && state.panZoom !== null)
  const fit = useCallback(
    (duration?: number) => {
      const { width, height } = store.getState()
      void flow.setViewport(getViewportForBounds(bounds, width, height, FURTHEST, NEAREST, AIR), { duration })
    },
    [flow, store, bounds],
  )
  const begun = useRef(false)
  useEffect(() => {
    if (!ready) return
    const { width, height, transform } = store.getState()
    const [left, top, zoom] = transform
    const [x, y] = [bounds.x * zoom + left, bounds.y * zoom + top]
    const outside = x < 0 || y < 0 || x + bounds.width * zoom > width || y + bounds.height * zoom > height
    const smaller = getViewportForBounds(bounds, width, height, FURTHEST, NEAREST, AIR).zoom > zoom * WORTH_IT
    if (!begun.current) fit()
    else if (follow && (outside || smaller)) fit(GLIDE_MS)
    begun.current = true
  }, [ready, follow, fit, bounds, store])
  return (
    <Panel position="bottom-left" className="flex rounded-md border bg-surface shadow-sm">
      <Button variant="ghost" size="icon" aria-label="Zoom in" title="Zoom in" onClick={() => void flow.zoomIn()}>
        <Plus aria-hidden />
      </Button>
      <Button variant="ghost" size="icon" aria-label="Zoom out" title="Zoom out" onClick={() => void flow.zoomOut()}>
        <Minus aria-hidden />
      </Button>
      <Button variant="ghost" size="icon" aria-label="Fit to view" title="Fit to view" onClick={() => fit(GLIDE_MS)}>
        <Maximize aria-hidden />
      </Button>
      {children}
    </Panel>
  )
}
