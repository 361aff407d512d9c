/** The node in the inspector, shared by all of its sections. */
import { createContext, useContext } from 'react'
import type { GraphNode } from '@/components/graph'
import { type Json, type JsonMap, at } from '@/lib/lossless'
import { isWithin, pathParts } from '@/lib/paths'
import { useDraft } from '../draft'
import { setPart, setParts } from '../edit'
import { nodeAt } from '../model'

const Context = createContext<GraphNode | null>(null)
export const NodeProvider = Context.Provider

export interface InspectedNode {
  node: GraphNode
  value: JsonMap
  part: (...path: string[]) => Json | undefined
  set: (path: readonly string[], value: Json | undefined) => void
  /** Sets several parts in one step. */
  setAll: (...parts: [path: readonly string[], value: Json | undefined][]) => void
  /** The error message of a part, if any. */
  problem: (...path: string[]) => string | undefined
}

export function useNode(): InspectedNode {
  const node = useContext(Context)
  const { document, edit, problems } = useDraft()
  if (node === null) throw new Error('there is no node here')
  const value = nodeAt(document, node.id)
  return {
    node,
    value,
    part: (...path) => at(value, ...path),
    set: (path, next) => edit(setPart(node.id, path, next), `${node.id} ${path.join('.')}`),
    setAll: (...parts) => edit(setParts(node.id, parts)),
    problem: (...path) =>
      problems.find((problem) => isWithin(pathParts(problem.path), ['nodes', node.id, ...path]))?.message,
  }
}
