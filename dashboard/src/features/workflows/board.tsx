/** The graph editor: the palette, the canvas and the inspector. */
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
import { NEW_SCHEMA, freeId } from './model'
import { Ghost, Palette } from './palette'
import { type DragItem, usePaletteDrag } from './palette-drag'
import { SelectionGuardProvider, useSelection } from './selection'

/** How long a message is shown. */
const MESSAGE_MS = 8_000

export function Board({ own }: { own: string | null }) {
  const draft = useDraft()
  const { graph, edit } = draft
  const selection = useSelection()
  const readOnly = useReadOnly()
  const flow = useReactFlow()
  const [message, showMessage] = useState<string | null>(null)
  useEffect(() => {
    if (message === null) return
    const timer = setTimeout(() => showMessage(null), MESSAGE_MS)
    return () => clearTimeout(timer)
  }, [message])

  // Invalid text is only kept in the inspector's fields, so selecting something else would lose it.
  const unread = draft.unread.problems.join('; ')
  const blocksSelection = useCallback(() => {
    if (unread !== '') showMessage(`Fix the invalid fields in the inspector first, or discard your changes: ${unread}`)
    return unread !== ''
  }, [unread])

  const addSchema = (id: string | null | undefined) => {
    const node = graph.nodes.find((each) => each.id === id)
    if (node === undefined) return showMessage('Drag Structured Output onto an agent node, or select the node first.')
    const fault = chipFault(node, draft.contracts)
    if (fault !== null) return showMessage(`${node.id} cannot have Structured Output: ${fault}.`)
    if (node.fields === null) edit(setPart(node.id, ['output_schema'], NEW_SCHEMA))
    if (blocksSelection()) return
    showMessage(null)
    selection.select({ node: node.id })
  }
  const defaultDirection = useDirection()
  const addTo = (item: DragItem & { kind: 'node' }, at?: Point) => {
    const id = freeId(graph, item.worker?.name ?? item.node)
    const newNode = { id, kind: item.node, worker: item.worker }
    const byRank = graph.nodes.every((node) => node.position === null)
    if (at !== undefined) {
      // A dropped node keeps its position, so save the positions of all other nodes too.
      const { places } = arrange(graph, { direction: directionOf(graph) ?? defaultDirection })
      const position = freePlace(centred(flow.screenToFlowPosition(at)), sizeOf({ fields: 0 }), [...places.values()])
      edit((text) => addNode({ ...newNode, position })(byRank ? setPositions(places)(text) : text))
    } else edit(addNode({ ...newNode, position: byRank ? undefined : below() }))
    if (!blocksSelection()) selection.select({ node: id })
  }
  /** A position below all other nodes. */
  const below = (): Point => {
    const places = [...arrange(graph).places.values()]
    return { x: Math.min(...places.map(({ x }) => x)), y: Math.max(...places.map(({ y }) => y)) + 2 * sizeOf({ fields: null }).height }
  }
  const drag = usePaletteDrag((item, at, over) => (item.kind === 'schema' ? addSchema(over) : addTo(item, at)))
  return (
    <SelectionGuardProvider value={blocksSelection}>
      <div className="flex min-h-0 flex-1 flex-col gap-3 lg:flex-row">
        {readOnly ? null : <Palette drag={drag} onAdd={(item) => (item.kind === 'schema' ? addSchema(selection.node) : addTo(item))} own={own} />}
        <div className="relative h-[60dvh] min-w-0 shrink-0 overflow-hidden rounded-card border bg-canvas lg:h-auto lg:min-h-80 lg:flex-1 lg:shrink">
          <Canvas dragged={drag.dragged} showMessage={showMessage} />
          <div role="status" className="pointer-events-none absolute inset-x-3 top-3 z-10 flex justify-center">
            {message === null ? null : (
              <p className="pointer-events-auto flex items-start gap-2 rounded-md border border-warning/50 bg-raised py-1 pr-1 pl-3 text-warning shadow-lg">
                <span className="py-0.5">{message}</span>
                <Button variant="ghost" size="small" aria-label="Close" onClick={() => showMessage(null)}>
                  <X aria-hidden />
                </Button>
              </p>
            )}
          </div>
        </div>
        <Inspector key={draft.round} onChip={() => addSchema(selection.node)} isNew={own === null} />
        <Ghost drag={drag} />
      </div>
    </SelectionGuardProvider>
  )
}

/** Centres a new card at the pointer. */
function centred({ x, y }: Point): Point {
  const { width, height } = sizeOf({ fields: null })
  return { x: x - width / 2, y: y - height / 2 }
}
