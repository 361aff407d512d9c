/** The drawing board: the palette, the canvas, and what is selected. */
import { useReactFlow } from '@xyflow/react'
import { X } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { type Point, arrange, directionOf, freePlace, sizeOf } from '@/components/graph'
import { useDirection } from '@/components/graph/direction'
import { useReadOnly } from '@/components/read-only'
import { Button } from '@/components/ui'
import { Canvas } from './canvas'
import { chipFault } from './chip'
import { useDraft } from './draft'
import { addNode, setPart, setPositions } from './edit'
import { Inspector } from './inspector/inspector'
import { FRESH_SCHEMA, freeId } from './model'
import { Ghost, Palette } from './palette'
import { type Load, usePaletteDrag } from './palette-drag'
import { HoldProvider, useLook } from './selection'

/** What was said is read by then. */
const SAID_MS = 8_000

export function Board({ own }: { own: string | null }) {
  const draft = useDraft()
  const { graph, edit } = draft
  const look = useLook()
  const readOnly = useReadOnly()
  const flow = useReactFlow()
  const [said, say] = useState<string | null>(null)
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => say(null), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])

  // What cannot be read yet is nowhere but in the inspector: another choice would drop it.
  const unread = draft.unread.problems.join('; ')
  const hold = useCallback(() => {
    if (unread !== '') say(`Fix the invalid fields in the inspector first, or discard your changes: ${unread}`)
    return unread !== ''
  }, [unread])

  const putChip = (id: string | null | undefined) => {
    const node = graph.nodes.find((each) => each.id === id)
    if (node === undefined) return say('Drag Structured Output onto an agent node, or select the node first.')
    const fault = chipFault(node, draft.contracts)
    if (fault !== null) return say(`${node.id} cannot have Structured Output: ${fault}.`)
    if (node.fields === null) edit(setPart(node.id, ['output_schema'], FRESH_SCHEMA))
    if (hold()) return
    say(null)
    look.select({ node: node.id })
  }
  const usual = useDirection()
  const addTo = (load: Load & { kind: 'node' }, at?: Point) => {
    const id = freeId(graph, load.worker?.name ?? load.node)
    const fresh = { id, kind: load.node, worker: load.worker }
    const byRank = graph.nodes.every((node) => node.position === null)
    if (at !== undefined) {
      // Where it is dropped is where it stays, so the others stay too.
      const { places } = arrange(graph, { direction: directionOf(graph) ?? usual })
      const position = freePlace(centred(flow.screenToFlowPosition(at)), sizeOf({ fields: 0 }), [...places.values()])
      edit((text) => addNode({ ...fresh, position })(byRank ? setPositions(places)(text) : text))
    } else edit(addNode({ ...fresh, position: byRank ? undefined : below() }))
    if (!hold()) look.select({ node: id })
  }
  /** A place below all others. */
  const below = (): Point => {
    const places = [...arrange(graph).places.values()]
    return { x: Math.min(...places.map(({ x }) => x)), y: Math.max(...places.map(({ y }) => y)) + 2 * sizeOf({ fields: null }).height }
  }
  const drag = usePaletteDrag((load, at, over) => (load.kind === 'schema' ? putChip(over) : addTo(load, at)))
  return (
    <HoldProvider value={hold}>
      <div className="flex min-h-0 flex-1 flex-col gap-3 lg:flex-row">
        {readOnly ? null : <Palette drag={drag} onAdd={(load) => (load.kind === 'schema' ? putChip(look.node) : addTo(load))} own={own} />}
        <div className="relative h-[60dvh] min-w-0 shrink-0 overflow-hidden rounded-card border bg-canvas lg:h-auto lg:min-h-80 lg:flex-1 lg:shrink">
          <Canvas dragged={drag.dragged} say={say} />
          <div role="status" className="pointer-events-none absolute inset-x-3 top-3 z-10 flex justify-center">
            {said === null ? null : (
              <p className="pointer-events-auto flex items-start gap-2 rounded-md border border-warning/50 bg-raised py-1 pr-1 pl-3 text-warning shadow-lg">
                <span className="py-0.5">{said}</span>
                <Button variant="ghost" size="small" aria-label="Close" onClick={() => say(null)}>
                  <X aria-hidden />
                </Button>
              </p>
            )}
          </div>
        </div>
        <Inspector key={draft.round} onChip={() => putChip(look.node)} isNew={own === null} />
        <Ghost drag={drag} />
      </div>
    </HoldProvider>
  )
}

/** The pointer is at the middle of the new card. */
function centred({ x, y }: Point): Point {
  const { width, height } = sizeOf({ fields: null })
  return { x: x - width / 2, y: y - height / 2 }
}
