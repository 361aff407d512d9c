import { Background, type Connection, type FinalConnectionState, type NodeChange, Panel, ReactFlow, useConnection } from '@xyflow/react'
import { Wand2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type Direction, type Graph, type Point, arrange, boundsOf, directionOf } from '@/components/graph'
import { useDirection } from '@/components/graph/direction'
import { type FlowEdge, type FlowNode, arrow, edgeTypes, flowEdges, flowNodes, nodeTypes } from '@/components/graph/flow'
import { useMeasured } from '@/components/graph/measured'
import { FURTHEST, Zoom } from '@/components/graph/zoom'
import { useReadOnly } from '@/components/read-only'
import { Button } from '@/components/ui'
import { SchemaBadge } from './chip'
import { edgeFault } from './connect'
import { useDraft } from './draft'
import { addEdge, clearPositions, removeEdges, removeNodes, setPositions } from './edit'
import { worstOf } from './model'
import type { Dragged } from './palette-drag'
import { useLook } from './selection'
import '@/components/graph/graph.css'

interface Props {
  dragged: Dragged | null
  /** Says something to whoever draws; nothing any more for null. */
  say: (message: string | null) => void
}

const KEYS = { 'node.a11yDescription.default': 'Enter selects it; arrow keys then move it, Delete removes it.' }

/** The graph, to be drawn. */
export function Canvas({ dragged, say }: Props) {
  const draft = useDraft()
  const { graph, edit, mistake } = draft
  const look = useLook()
  const { take, withSizes } = useMeasured()
  const [moving, setMoving] = useState<ReadonlyMap<string, Point>>(new Map())
  const usual = useDirection()
  const direction = directionOf(graph) ?? usual
  const arranged = useMemo(() => arrange(graph, { direction }), [graph, direction])
  const places = useMemo(() => new Map([...arranged.places, ...moving]), [arranged, moving])
  const readOnly = useReadOnly()
  const connectable = mistake === null && !readOnly
  const nodes = useNodes(places, direction, connectable, dragged)
  const bounds = useMemo(() => boundsOf(graph, arranged), [graph, arranged])
  // A drawing that was arranged by hand does not move by itself.
  const byRank = graph.nodes.every((node) => node.position === null)
  const isMoving = moving.size > 0
  const edges = useMemo(
    () =>
      flowEdges(graph, {
        direction,
        routes: isMoving ? new Map() : arranged.routes,
        troubleOf: (edge) => draft.spots.edges.get(edge.index)?.[0]?.message,
      }),
    [graph, arranged, direction, isMoving, draft.spots],
  )

  const connect = (from: string, to: string) => {
    const fault = edgeFault(graph, from, to)
    if (fault === null) {
      edit(addEdge(from, to))
      say(null)
    } else say(`No edge from ${from} to ${to}: ${fault}.`)
  }
  const nodesChanged = (changes: NodeChange<FlowNode>[]) => {
    take(changes)
    const moves = changes.flatMap((change) => (change.type === 'position' && change.position ? [change] : []))
    const now = new Map(moves.map((move) => [move.id, move.position as Point]))
    if (moves.some((move) => move.dragging)) setMoving((before) => new Map([...before, ...now]))
    else if (moves.length > 0 || (isMoving && changes.some((change) => change.type === 'position'))) {
      setMoving(new Map())
      edit(setPositions(new Map([...places, ...now])), 'move')
    }
    const chosen = changes.find((change) => change.type === 'select' && change.selected)
    if (chosen?.type === 'select') look.select({ node: chosen.id })
  }
  /** An edge that is let go on a card, and not on its dot, is meant for that card. */
  const connectEnded = (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
    if (state.isValid || state.fromNode === null) return
    const point = 'changedTouches' in event ? event.changedTouches[0] : event
    const target = point && document.elementFromPoint(point.clientX, point.clientY)?.closest<HTMLElement>('.react-flow__node')
    const other = state.toNode?.id ?? target?.dataset.id
    if (other === undefined) return
    const backwards = state.fromHandle?.type === 'target'
    connect(backwards ? other : state.fromNode.id, backwards ? state.fromNode.id : other)
  }
  const removed = (gone: { nodes: FlowNode[]; edges: FlowEdge[] }) => {
    const ids = gone.nodes.map((node) => node.id)
    const lone = gone.edges.flatMap(({ data, source, target }) => (data && !ids.includes(source) && !ids.includes(target) ? [data.edge.index] : []))
    edit((text) => removeNodes(ids)(removeEdges(lone)(text)))
    look.drop()
  }
  return (
    <ReactFlow<FlowNode, FlowEdge>
      aria-label="Graph of the workflow"
      nodes={withSizes(nodes).map((node) => ({ ...node, selected: node.id === look.node }))}
      edges={edges.map((edge) => (edge.data?.edge.index === look.edge ? { ...edge, selected: true, markerEnd: arrow('var(--color-accent)') } : edge))}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      onNodesChange={nodesChanged}
      onEdgesChange={(changes) => {
        const chosen = changes.find((change) => change.type === 'select' && change.selected)
        const edge = chosen && 'id' in chosen ? graph.edges.find((each) => each.id === chosen.id) : undefined
        if (edge !== undefined) look.select({ edge: edge.index })
      }}
      onPaneClick={() => look.select({})}
      onKeyDown={(event) => {
        if (event.key === 'Escape') look.select({})
      }}
      onConnect={({ source, target }: Connection) => connect(source, target)}
      onConnectEnd={connectEnded}
      isValidConnection={({ source, target }) => edgeFault(graph, source, target) === null}
      onDelete={removed}
      deleteKeyCode={connectable ? ['Delete', 'Backspace'] : null}
      nodesDraggable={connectable}
      nodesConnectable={connectable}
      selectionKeyCode={null}
      multiSelectionKeyCode={null}
      zoomOnDoubleClick={false}
      ariaLabelConfig={KEYS}
      onlyRenderVisibleElements={graph.nodes.length > 200}
      minZoom={FURTHEST}
      maxZoom={2}
      proOptions={{ hideAttribution: true }}
    >
      <Background gap={20} size={1.5} />
      <Zoom bounds={bounds} follow={byRank}>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Tidy up: arrange nodes automatically"
          title="Tidy up"
          disabled={byRank || readOnly}
          onClick={() => edit(clearPositions())}
        >
          <Wand2 aria-hidden />
        </Button>
      </Zoom>
      <Drawing graph={graph} />
    </ReactFlow>
  )
}

function useNodes(places: ReadonlyMap<string, Point>, direction: Direction, connectable: boolean, dragged: Dragged | null): FlowNode[] {
  const { graph, spots, contracts } = useDraft()
  const chip = dragged?.load.kind === 'schema' ? { over: dragged.over } : null
  const over = chip?.over ?? null
  const isChip = chip !== null
  return useMemo(
    () =>
      flowNodes(graph, {
        places,
        direction,
        connectable,
        notes: (node) => ({
          trouble: worstOf(spots.nodes.get(node.id) ?? []),
          badge: <SchemaBadge node={node} contracts={contracts} landing={isChip ? (over === node.id ? 'here' : 'maybe') : null} />,
        }),
      }),
    [graph, places, direction, connectable, spots, contracts, over, isChip],
  )
}

/** What would become of the edge that is being drawn, while it is. */
function Drawing({ graph }: { graph: Graph }) {
  const { inProgress, fromNode, toNode, fromHandle } = useConnection()
  if (!inProgress || toNode === null || toNode.id === fromNode.id) return null
  const [from, to] = fromHandle.type === 'target' ? [toNode.id, fromNode.id] : [fromNode.id, toNode.id]
  const fault = edgeFault(graph, from, to)
  return (
    <Panel
      position="top-center"
      className={`rounded-md border bg-raised px-3 py-1.5 font-medium shadow-sm ${fault === null ? 'border-success text-success' : 'border-danger text-danger'}`}
    >
      {from} → {to}: {fault ?? 'release to connect'}
    </Panel>
  )
}
