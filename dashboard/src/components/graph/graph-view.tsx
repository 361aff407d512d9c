import { Background, type NodeChange, ReactFlow } from '@xyflow/react'
import { type ReactNode, useMemo } from 'react'
import { edgeTypes, flowEdges, flowNodes, nodeTypes } from './flow'
import { type Direction, arrange, boundsOf } from './layout'
import { useMeasured } from './measured'
import type { Graph, GraphNode } from './model'
import type { NodeState } from './node-card'
import { MIN_ZOOM, Zoom } from './zoom'
import './graph.css'

export interface GraphViewProps {
  graph: Graph
  /** The accessible name. */
  label: string
  /** By node id. */
  nodeStates?: Readonly<Record<string, NodeState>>
  selected?: string | null
  /** Called with null when the selection is cleared. */
  onSelect?: (id: string | null) => void
  direction?: Direction
  /** Additional content of a card, and its height in pixels. */
  slot?: (node: GraphNode) => ReactNode
  slotHeight?: number
}

/** Graphs with more nodes only render the visible ones. */
const MAX_RENDERED = 200

/** The height of the row with the status badge. */
const STATE_ROW = 28

/** A read-only workflow graph. It fills its container, which needs a height. */
export function GraphView({ graph, label, nodeStates, selected, onSelect, direction = 'down', slot, slotHeight = 0 }: GraphViewProps) {
  const { take, withSizes } = useMeasured()
  const extra = slotHeight + (nodeStates === undefined ? 0 : STATE_ROW)
  const arranged = useMemo(() => arrange(graph, { direction, extra }), [graph, direction, extra])
  const { places, routes } = arranged
  const bounds = useMemo(() => boundsOf(graph, arranged, extra), [graph, arranged, extra])
  const nodes = useMemo(
    () =>
      flowNodes(graph, {
        places,
        direction,
        connectable: false,
        notes: (node) => ({ state: nodeStates?.[node.id], extra: slot?.(node) }),
      }),
    [graph, places, direction, nodeStates, slot],
  )
  const edges = useMemo(() => flowEdges(graph, { direction, routes }), [graph, direction, routes])
  const handleChanges = (changes: NodeChange[]) => {
    take(changes)
    const selections = changes.flatMap((change) => (change.type === 'select' ? [change] : []))
    if (selections.length > 0) onSelect?.(selections.find((change) => change.selected)?.id ?? null)
  }
  return (
    <ReactFlow
      aria-label={label}
      nodes={withSizes(nodes).map((node) => ({ ...node, selected: node.id === selected }))}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      onNodesChange={handleChanges}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      deleteKeyCode={null}
      selectionKeyCode={null}
      multiSelectionKeyCode={null}
      zoomOnScroll={false}
      preventScrolling={false}
      onlyRenderVisibleElements={graph.nodes.length > MAX_RENDERED}
      minZoom={MIN_ZOOM}
      maxZoom={2}
      proOptions={{ hideAttribution: true }}
    >
      <Background gap={20} size={1.5} />
      <Zoom bounds={bounds} follow />
    </ReactFlow>
  )
}
