import { Panel, useReactFlow } from '@xyflow/react'
import { Maximize, Minus, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '@/components/ui'

/** Nothing is enlarged beyond its own size, and a little air stays around. */
export const FIT = { padding: 0.12, maxZoom: 1, minZoom: 0.25 } as const

/** Nearer, further, all of it; and whatever else belongs there. */
export function Zoom({ children }: { children?: ReactNode }) {
  const flow = useReactFlow()
  return (
    <Panel position="bottom-left" className="flex rounded-md border bg-surface shadow-sm">
      <Button variant="ghost" size="icon" aria-label="Zoom in" title="Zoom in" onClick={() => void flow.zoomIn()}>
        <Plus aria-hidden />
      </Button>
      <Button variant="ghost" size="icon" aria-label="Zoom out" title="Zoom out" onClick={() => void flow.zoomOut()}>
        <Minus aria-hidden />
      </Button>
      <Button variant="ghost" size="icon" aria-label="Show all of it" title="Show all of it" onClick={() => void flow.fitView(FIT)}>
        <Maximize aria-hidden />
      </Button>
      {children}
    </Panel>
  )
}
