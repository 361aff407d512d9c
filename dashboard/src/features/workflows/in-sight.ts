import { useReactFlow, useStoreApi } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { type Point, sizeOf } from '@/components/graph'
import { FIT } from '@/components/graph/zoom'

/** By then a new node is measured. */
const MEASURED_MS = 80

/** When the drawing grows out of sight, all of it is shown. Whoever moves nodes by hand decides alone what is seen. */
export function useInSight(places: ReadonlyMap<string, Point>, byRank: boolean): void {
  const flow = useReactFlow()
  const store = useStoreApi()
  const known = useRef(places)
  useEffect(() => {
    const grown = [...places.keys()].some((id) => !known.current.has(id))
    const same = known.current === places
    known.current = places
    if (same || !(byRank || grown)) return
    const timer = setTimeout(() => {
      const { width, height, transform } = store.getState()
      const [left, top, zoom] = transform
      const card = sizeOf({ fields: 0 })
      const outside = [...places.values()].some(({ x, y }) => {
        const [fromX, fromY] = [x * zoom + left, y * zoom + top]
        return fromX < 0 || fromY < 0 || fromX + card.width * zoom > width || fromY + card.height * zoom > height
      })
      if (outside) void flow.fitView({ ...FIT, duration: 200 })
    }, MEASURED_MS)
    return () => clearTimeout(timer)
  }, [places, byRank, flow, store])
}
