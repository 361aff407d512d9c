/** All changes that the editor makes, as functions from text to text. Invalid text is returned unchanged. */
import { type YAMLMap, isMap, isScalar } from 'yaml'
import type { Point } from '@/components/graph'
import { KINDS, type NodeKind } from '@/components/graph/kinds'
import { type Json, fromPlain } from '@/lib/lossless'
import { Editable, keyOf } from './document'
import { renameIn } from './rename'

export type Edit = (text: string) => string

function edited(change: (document: Editable) => void): Edit {
  return (text) => {
    const document = Editable.of(text)
    if (document === null) return text
    change(document)
    return document.text()
  }
}

/** Sets a top-level member of the workflow; undefined removes it. */
export function setMember(key: string, value: Json | undefined): Edit {
  return edited((document) => document.set([key], value))
}

/** Sets a part of a node; undefined removes it. */
export function setPart(id: string, path: readonly string[], value: Json | undefined): Edit {
  return edited((document) => {
    if (document.map('nodes').has(id)) document.set(['nodes', id, ...path], value)
  })
}

/** Sets several parts of a node in one step. */
export function setParts(id: string, parts: readonly (readonly [path: readonly string[], value: Json | undefined])[]): Edit {
  return (text) => parts.reduce((result, [path, value]) => setPart(id, path, value)(result), text)
}

export interface NewNode {
  id: string
  kind: NodeKind
  /** The agent or workflow to run, if it is known. */
  worker?: { kind: 'agent' | 'workflow'; name: string }
  position?: Point
}

export function addNode({ id, kind, worker, position }: NewNode): Edit {
  const fields: Record<string, unknown> = { type: kind, ...KINDS[kind].defaults }
  if (worker !== undefined) {
    delete fields.agent
    fields[worker.kind] = worker.name
  }
  return edited((document) => {
    document.set(['nodes', id], fromPlain(fields))
    if (position !== undefined) place(document, id, position)
  })
}

/** Removes nodes and their edges. */
export function removeNodes(ids: readonly string[]): Edit {
  return edited((document) => {
    for (const id of ids) document.set(['nodes', id], undefined)
    keepEdges(document, (edge) => !ids.includes(textAt(edge, 'from')) && !ids.includes(textAt(edge, 'to')))
  })
}

function keepEdges(document: Editable, keep: (edge: YAMLMap, index: number) => boolean): void {
  const edges = document.list('edges')
  edges.items = edges.items.filter((edge, index) => !isMap(edge) || keep(edge, index))
}

function textAt(map: YAMLMap, key: string): string {
  const value = map.get(key)
  return typeof value === 'string' ? value : ''
}

export function addEdge(from: string, to: string): Edit {
  return edited((document) => {
    const edge = document.node(fromPlain({ from, to }))
    if (isMap(edge)) edge.flow = true
    document.list('edges').add(edge)
  })
}

export function removeEdges(indexes: readonly number[]): Edit {
  return edited((document) => keepEdges(document, (_, index) => !indexes.includes(index)))
}

/** Sets the condition of an edge; an empty text removes it. */
export function setWhen(index: number, when: string): Edit {
  return edited((document) => {
    const edge = document.list('edges').items[index]
    if (!isMap(edge)) return
    if (when === '') edge.delete('when')
    else edge.set('when', when)
  })
}

function place(document: Editable, id: string, { x, y }: Point): void {
  const position = document.node(fromPlain({ x: Math.round(x), y: Math.round(y) }))
  if (isMap(position)) position.flow = true
  const node = document.map('nodes', id)
  node.set('position', position)
}

/** Saves the positions of all nodes, so that the layout stays when one is moved. */
export function setPositions(places: ReadonlyMap<string, Point>): Edit {
  return edited((document) => {
    const nodes = document.map('nodes')
    for (const [id, point] of places) if (isMap(nodes.get(id, true))) place(document, id, point)
  })
}

/** Removes all positions, so that the graph is laid out automatically. */
export function clearPositions(): Edit {
  return edited((document) => {
    for (const pair of document.map('nodes').items) if (isMap(pair.value)) pair.value.delete('position')
  })
}

/** Renames a node, including in edges, templates and conditions. */
export function renameNode(id: string, next: string): Edit {
  return edited((document) => {
    const nodes = document.map('nodes')
    const pair = nodes.items.find((each) => keyOf(each) === id)
    if (pair === undefined || nodes.has(next)) return
    if (isScalar(pair.key)) pair.key.value = next
    for (const edge of document.list('edges').items) {
      if (!isMap(edge)) continue
      for (const end of ['from', 'to']) if (edge.get(end) === id) edge.set(end, next)
    }
    for (const each of nodes.items) if (isMap(each.value)) renameIn(each.value, id, next)
  })
}
