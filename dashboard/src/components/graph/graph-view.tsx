import { Background, type NodeChange, ReactFlow } from '@xyflow/react'
import { type ReactNode, useMemo } from 'react'
import { edgeTypes, flowEdges, flowNodes, nodeTypes } from './flow'
import { type Direction, arrange, boundsOf } from './layout'
import { useMeasured } from './measured'
import type { Graph, GraphNode } from './model'
import type { NodeState } from './node-card'
import { FURTHEST, Zoom } from './zoom'
import './graph.css'

export interface GraphViewProps {
  graph: Graph
  /** What it shows, for screen readers. */
  label: string
  /** By the nodes' ids. */
  nodeStates?: Readonly<Record<string, NodeState>>
  selected?: string | null
  /** Null: nothing is selected any more. */
  onSelect?: (id: string | null) => void
  direction?: Direction
  /** What else a card holds, and how high that is in pixels. */
  slot?: (node: GraphNode) => ReactNode
  slotHeight?: number
}

/** So many nodes are drawn all at once; of more, those in sight. */
const ALL_AT_ONCE = 200

/** A row with a status badge. */
const STATE_ROW = 28

/** A workflow to look at. It fills its place: give that a height. */
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
  const changed = (changes: NodeChange[]) => {
    take(changes)
    const chosen = changes.flatMap((change) => (change.type === 'select' ? [change] : []))
    if (chosen.length > 0) onSelect?.(chosen.find((change) => change.selected)?.id ?? null)
  }
  return (
    <ReactFlow
      aria-label={label}
      nodes={withSizes(nodes).map((node) => ({ ...node, selected: node.id === selected }))}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      onNodesChange={changed}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      deleteKeyCode={null}
      selectionKeyCode={null}
      multiSelectionKeyCode={null}
      zoomOnScroll={false}
      preventScrolling={false}
      onlyRenderVisibleElements={graph.nodes.length > ALL_AT_ONCE}
      minZoom={FURTHEST}
      maxZoom={2}
      proOptions={{ hideAttribution: true }}
    >
      <Background gap={20} size={1.5} />
      <Zoom bounds={bounds} follow />
    </ReactFlow>
  )
}
