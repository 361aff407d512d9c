import { Panel, type Rect, getViewportForBounds, useReactFlow, useStore, useStoreApi } from '@xyflow/react'
import { Maximize, Minus, Plus } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import { Button } from '@/components/ui'

/** The smallest zoom level of a canvas. */
export const MIN_ZOOM = 0.1
/** Fitting does not enlarge beyond 100 % and leaves some padding. */
const [MAX_FIT_ZOOM, PADDING] = [1, 0.06]

/** A graph is fitted again only if it can be shown larger by at least this factor. */
const MIN_GAIN = 1.15

/** The duration of the animation when the view changes. */
const ANIMATION_MS = 200

interface Props {
  /** The bounding box of the graph, including edges that lead around nodes. */
  bounds: Rect
  /** Whether the graph is fitted to the view again whenever it changes. */
  follow?: boolean
  children?: ReactNode
}

/** The zoom buttons and additional controls. Fits the graph to the view at first. */
export function Zoom({ bounds, follow = false, children }: Props) {
  const flow = useReactFlow()
  const store = useStoreApi()
  const ready = useStore((state) => state.width > 0 && state.panZoom !== null)
  const fit = useCallback(
    (duration?: number) => {
      const { width, height } = store.getState()
      void flow.setViewport(getViewportForBounds(bounds, width, height, MIN_ZOOM, MAX_FIT_ZOOM, PADDING), { duration })
    },
    [flow, store, bounds],
  )
  const fitted = useRef(false)
  useEffect(() => {
    if (!ready) return
    const { width, height, transform } = store.getState()
    const [left, top, zoom] = transform
    const [x, y] = [bounds.x * zoom + left, bounds.y * zoom + top]
    const outside = x < 0 || y < 0 || x + bounds.width * zoom > width || y + bounds.height * zoom > height
    const smaller = getViewportForBounds(bounds, width, height, MIN_ZOOM, MAX_FIT_ZOOM, PADDING).zoom > zoom * MIN_GAIN
    if (!fitted.current) fit()
    else if (follow && (outside || smaller)) fit(ANIMATION_MS)
    fitted.current = true
  }, [ready, follow, fit, bounds, store])
  return (
    <Panel position="bottom-left" className="flex rounded-md border bg-surface shadow-sm">
      <Button variant="ghost" size="icon" aria-label="Zoom in" title="Zoom in" onClick={() => void flow.zoomIn()}>
        <Plus aria-hidden />
      </Button>
      <Button variant="ghost" size="icon" aria-label="Zoom out" title="Zoom out" onClick={() => void flow.zoomOut()}>
        <Minus aria-hidden />
      </Button>
      <Button variant="ghost" size="icon" aria-label="Fit to view" title="Fit to view" onClick={() => fit(ANIMATION_MS)}>
        <Maximize aria-hidden />
      </Button>
      {children}
    </Panel>
  )
}
