import { Background, type Connection, type FinalConnectionState, type NodeChange, Panel, ReactFlow, useConnection } from '@xyflow/react'
import { Wand2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type Direction, type Graph, type Point, arrange, boundsOf, directionOf } from '@/components/graph'
import { useDirection } from '@/components/graph/direction'
import { type FlowEdge, type FlowNode, arrow, edgeTypes, flowEdges, flowNodes, nodeTypes } from '@/components/graph/flow'
import { useMeasured } from '@/components/graph/measured'
import { MIN_ZOOM, Zoom } from '@/components/graph/zoom'
import { useReadOnly } from '@/components/read-only'
import { Button } from '@/components/ui'
import { SchemaBadge } from './chip'
import { edgeFault } from './connect'
import { useDraft } from './draft'
import { addEdge, clearPositions, removeEdges, removeNodes, setPositions } from './edit'
import { adoptInput } from './first-input'
import { worstFirst, worstOf } from './model'
import type { Dragged } from './palette-drag'
import { useSelection } from './selection'
import '@/components/graph/graph.css'

interface Props {
  dragged: Dragged | null
  /** Shows a message above the canvas; null hides it. */
  showMessage: (message: string | null) => void
}

const ARIA_LABELS = { 'node.a11yDescription.default': 'Enter selects it; arrow keys then move it, Delete removes it.' }

/** The editable graph. */
export function Canvas({ dragged, showMessage }: Props) {
  const draft = useDraft()
  const { graph, edit, mistake } = draft
  const selection = useSelection()
  const { take, withSizes } = useMeasured()
  const [moving, setMoving] = useState<ReadonlyMap<string, Point>>(new Map())
  const defaultDirection = useDirection()
  const direction = directionOf(graph) ?? defaultDirection
  const arranged = useMemo(() => arrange(graph, { direction }), [graph, direction])
  const places = useMemo(() => new Map([...arranged.places, ...moving]), [arranged, moving])
  const readOnly = useReadOnly()
  const connectable = mistake === null && !readOnly
  const nodes = useNodes(places, direction, connectable, dragged)
  const bounds = useMemo(() => boundsOf(graph, arranged), [graph, arranged])
  // A graph with saved positions is not fitted to the view automatically.
  const byRank = graph.nodes.every((node) => node.position === null)
  const isMoving = moving.size > 0
  const edges = useMemo(
    () =>
      flowEdges(graph, {
        direction,
        routes: isMoving ? new Map() : arranged.routes,
        troubleOf: (edge) => worstFirst(draft.problemsBy.edges.get(edge.index) ?? [])[0],
      }),
    [graph, arranged, direction, isMoving, draft.problemsBy],
  )

  const connect = (from: string, to: string) => {
    const fault = edgeFault(graph, from, to)
    if (fault === null) {
      const adopt = adoptInput(draft.document, graph, draft.contracts, from, to)
      edit((text) => addEdge(from, to)(adopt?.(text) ?? text))
      showMessage(adopt === null ? null : `The input of the workflow now has the fields that ${to} takes.`)
    } else showMessage(`No edge from ${from} to ${to}: ${fault}.`)
  }
  const handleNodeChanges = (changes: NodeChange<FlowNode>[]) => {
    take(changes)
    const moves = changes.flatMap((change) => (change.type === 'position' && change.position ? [change] : []))
    const now = new Map(moves.map((move) => [move.id, move.position as Point]))
    if (moves.some((move) => move.dragging)) setMoving((before) => new Map([...before, ...now]))
    else if (moves.length > 0 || (isMoving && changes.some((change) => change.type === 'position'))) {
      setMoving(new Map())
      edit(setPositions(new Map([...places, ...now])), 'move')
    }
    const chosen = changes.find((change) => change.type === 'select' && change.selected)
    if (chosen?.type === 'select') selection.select({ node: chosen.id })
  }
  /** An edge that is dropped on a card, not on its handle, connects to that card. */
  const handleConnectEnd = (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
    if (state.isValid || state.fromNode === null) return
    const point = 'changedTouches' in event ? event.changedTouches[0] : event
    const target = point && document.elementFromPoint(point.clientX, point.clientY)?.closest<HTMLElement>('.react-flow__node')
    const other = state.toNode?.id ?? target?.dataset.id
    if (other === undefined) return
    const backwards = state.fromHandle?.type === 'target'
    connect(backwards ? other : state.fromNode.id, backwards ? state.fromNode.id : other)
  }
  const handleDelete = (deleted: { nodes: FlowNode[]; edges: FlowEdge[] }) => {
    const ids = deleted.nodes.map((node) => node.id)
    const otherEdges = deleted.edges.flatMap(({ data, source, target }) => (data && !ids.includes(source) && !ids.includes(target) ? [data.edge.index] : []))
    edit((text) => removeNodes(ids)(removeEdges(otherEdges)(text)))
    selection.clear()
  }
  return (
    <ReactFlow<FlowNode, FlowEdge>
      aria-label="Graph of the workflow"
      nodes={withSizes(nodes).map((node) => ({ ...node, selected: node.id === selection.node }))}
      edges={edges.map((edge) => (edge.data?.edge.index === selection.edge ? { ...edge, selected: true, markerEnd: arrow('var(--color-accent)') } : edge))}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      onNodesChange={handleNodeChanges}
      onEdgesChange={(changes) => {
        const chosen = changes.find((change) => change.type === 'select' && change.selected)
        const edge = chosen && 'id' in chosen ? graph.edges.find((each) => each.id === chosen.id) : undefined
        if (edge !== undefined) selection.select({ edge: edge.index })
      }}
      onPaneClick={() => selection.select({})}
      onKeyDown={(event) => {
        if (event.key === 'Escape') selection.select({})
      }}
      onConnect={({ source, target }: Connection) => connect(source, target)}
      onConnectEnd={handleConnectEnd}
      isValidConnection={({ source, target }) => edgeFault(graph, source, target) === null}
      onDelete={handleDelete}
      deleteKeyCode={connectable ? ['Delete', 'Backspace'] : null}
      nodesDraggable={connectable}
      nodesConnectable={connectable}
      selectionKeyCode={null}
      multiSelectionKeyCode={null}
      zoomOnDoubleClick={false}
      ariaLabelConfig={ARIA_LABELS}
      onlyRenderVisibleElements={graph.nodes.length > 200}
      minZoom={MIN_ZOOM}
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
      <ConnectionHint graph={graph} />
    </ReactFlow>
  )
}

function useNodes(places: ReadonlyMap<string, Point>, direction: Direction, connectable: boolean, dragged: Dragged | null): FlowNode[] {
  const { graph, problemsBy, contracts } = useDraft()
  const chip = dragged?.item.kind === 'schema' ? { over: dragged.over } : null
  const over = chip?.over ?? null
  const isChip = chip !== null
  return useMemo(
    () =>
      flowNodes(graph, {
        places,
        direction,
        connectable,
        notes: (node) => ({
          trouble: worstOf(problemsBy.nodes.get(node.id) ?? []),
          badge: <SchemaBadge node={node} contracts={contracts} landing={isChip ? (over === node.id ? 'here' : 'maybe') : null} />,
        }),
      }),
    [graph, places, direction, connectable, problemsBy, contracts, over, isChip],
  )
}

/** Shows whether the edge that is being drawn is allowed. */
function ConnectionHint({ graph }: { graph: Graph }) {
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
