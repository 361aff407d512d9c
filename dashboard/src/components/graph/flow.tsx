/** Converts a graph to the nodes and edges of React Flow. */
import {
  BaseEdge, type Edge, EdgeLabelRenderer, type EdgeMarker, type EdgeProps, Handle, MarkerType, type Node, type NodeProps, Position, getBezierPath, useUpdateNodeInternals,
} from '@xyflow/react'
import { type ReactNode, useEffect } from 'react'
import { cn } from '@/lib/cn'
import { plain } from '@/lib/inert'
import { KINDS } from './kinds'
import type { Direction } from './layout'
import { type Graph, type GraphEdge, type GraphNode, type Point, subtitleOf } from './model'
import { NodeCard, type NodeState } from './node-card'

export interface NodeData extends Record<string, unknown> {
  node: GraphNode
  direction: Direction
  /** Whether the user can draw edges from and to it. */
  connectable: boolean
  state?: NodeState
  trouble?: 'error' | 'warning'
  badge?: ReactNode
  extra?: ReactNode
}

/** What is wrong with an edge. */
export interface EdgeTrouble {
  message: string
  severity: 'error' | 'warning'
}

export interface EdgeData extends Record<string, unknown> {
  edge: GraphEdge
  direction: Direction
  trouble?: EdgeTrouble
  /** Waypoints around other nodes. */
  route?: readonly Point[]
}

export type FlowNode = Node<NodeData, 'card'>
export type FlowEdge = Edge<EdgeData, 'routed'>

function Card({ data, selected }: NodeProps<FlowNode>) {
  const { node, direction, connectable } = data
  const updateHandles = useUpdateNodeInternals()
  // React Flow measures handles when a node appears; edges would stay where they were.
  useEffect(() => updateHandles(node.id), [updateHandles, node.id, direction])
  const [into, out] = direction === 'down' ? [Position.Top, Position.Bottom] : [Position.Left, Position.Right]
  const handle = cn('graph-handle', !connectable && 'graph-handle-quiet')
  return (
    <>
      {node.kind === 'input' ? null : <Handle type="target" position={into} className={handle} isConnectable={connectable} />}
      <NodeCard node={node} selected={selected} state={data.state} trouble={data.trouble} badge={data.badge}>
        {data.extra}
      </NodeCard>
      {node.kind === 'output' ? null : <Handle type="source" position={out} className={handle} isConnectable={connectable} />}
    </>
  )
}

const TROUBLE = {
  error: { edge: 'graph-edge-wrong', label: 'border-danger text-danger', text: 'schemas do not match', color: 'var(--color-danger)' },
  warning: { edge: 'graph-edge-doubtful', label: 'border-warning text-warning', text: 'schemas may not match', color: 'var(--color-warning)' },
}

/** The SVG path of an edge and the position of its label. */
function pathOf(at: Omit<EdgeProps<FlowEdge>, 'data' | 'selected' | 'markerEnd'>, data: EdgeData | undefined): [path: string, x: number, y: number] {
  const { route = [], direction } = data ?? {}
  const middle = route[Math.floor(route.length / 2)]
  if (middle === undefined) {
    const [path, x, y] = getBezierPath(at)
    return [path, x, y]
  }
  const points = [{ x: at.sourceX, y: at.sourceY }, ...route, { x: at.targetX, y: at.targetY }]
  const steps = points.slice(1).map((to, index) => {
    const from = points[index] ?? to
    const [alongX, alongY] = [(from.x + to.x) / 2, (from.y + to.y) / 2]
    const bends = direction === 'right' ? `${alongX},${from.y} ${alongX},${to.y}` : `${from.x},${alongY} ${to.x},${alongY}`
    return `C${bends} ${to.x},${to.y}`
  })
  return [`M${at.sourceX},${at.sourceY} ${steps.join(' ')}`, middle.x, middle.y]
}

function RoutedEdge({ data, selected, markerEnd, ...at }: EdgeProps<FlowEdge>) {
  const [path, x, y] = pathOf(at, data)
  const { when, taken } = data?.edge ?? { when: null }
  const quiet = taken === false
  return (
    <>
      <BaseEdge
        id={at.id}
        path={path}
        markerEnd={markerEnd}
        interactionWidth={24}
        className={cn('graph-edge', quiet && 'graph-edge-quiet', data?.trouble && TROUBLE[data.trouble.severity].edge, selected && 'graph-edge-selected')}
      />
      {when === null && !data?.trouble ? null : (
        <EdgeLabelRenderer>
          <div
            className={cn(
              'nodrag nopan pointer-events-none absolute max-w-44 truncate rounded-full border bg-raised px-2 font-mono text-[0.8rem] text-muted',
              quiet && 'border-dashed',
              data?.trouble && TROUBLE[data.trouble.severity].label,
              selected && 'border-accent text-accent',
            )}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
            title={data?.trouble?.message ?? when ?? undefined}
          >
            {when === null && data?.trouble ? TROUBLE[data.trouble.severity].text : plain(when ?? '')}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  )
}

export const nodeTypes = { card: Card }
export const edgeTypes = { routed: RoutedEdge }

/** Properties of a node that are not in the document. */
export type Notes = Partial<Pick<NodeData, 'state' | 'trouble' | 'badge' | 'extra'>>

interface NodeOptions {
  places: ReadonlyMap<string, Point>
  direction: Direction
  connectable: boolean
  notes?: (node: GraphNode) => Notes
}

export function flowNodes(graph: Graph, { places, direction, connectable, notes }: NodeOptions): FlowNode[] {
  return graph.nodes.map((node) => {
    const more = notes?.(node) ?? {}
    const label = [KINDS[node.kind].label, node.id, subtitleOf(node), more.state?.status, more.trouble && `has ${more.trouble}s`]
    return {
      id: node.id,
      type: 'card',
      position: places.get(node.id) ?? { x: 0, y: 0 },
      ariaLabel: label.filter(Boolean).join(', '),
      data: { node, direction, connectable, ...more },
    }
  })
}

/** The arrowhead of an edge. */
export function arrow(color = 'var(--graph-edge)'): EdgeMarker {
  return { type: MarkerType.ArrowClosed, width: 22, height: 22, markerUnits: 'userSpaceOnUse', color }
}

interface EdgeOptions {
  direction: Direction
  routes: ReadonlyMap<string, readonly Point[]>
  troubleOf?: (edge: GraphEdge) => EdgeTrouble | undefined
}

export function flowEdges(graph: Graph, { direction, routes, troubleOf }: EdgeOptions): FlowEdge[] {
  return graph.edges.map((edge) => {
    const trouble = troubleOf?.(edge)
    const condition = edge.when === null ? '' : `, when ${edge.when}`
    return {
      id: edge.id,
      type: 'routed',
      source: edge.from,
      target: edge.to,
      ariaLabel: `From ${edge.from} to ${edge.to}${condition}${trouble ? `, ${trouble.severity}: ${trouble.message}` : ''}`,
      markerEnd: arrow(trouble && TROUBLE[trouble.severity].color),
      data: { edge, direction, trouble, route: routes.get(edge.id) },
    }
  })
}
