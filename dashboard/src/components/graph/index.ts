/** The read-only workflow graph, and its parts for the editor. Loads React Flow, so import it lazily. */
export { type Direction, arrange, boundsOf, directionOf, freePlace, sizeOf } from './layout'
export { KINDS, NODE_KINDS, type NodeKind } from './kinds'
export { GraphView } from './graph-view'
export { type Graph, type GraphEdge, type GraphNode, type Point, readGraph } from './model'
