import type { Node, NodeChange } from '@xyflow/react'
import { useCallback, useState } from 'react'
import type { Size } from './layout'

/**
 * The canvas measures its nodes once, and forgets a node's edges when it gets one without its measures: they are kept
 * here, as the nodes themselves are made anew from the document.
 */
export function useMeasured() {
  const [sizes, setSizes] = useState<ReadonlyMap<string, Size>>(new Map())
  const take = useCallback((changes: readonly NodeChange[]) => {
    const news = changes.flatMap((change) =>
      change.type === 'dimensions' && change.dimensions ? [[change.id, change.dimensions] as const] : [],
    )
    if (news.length > 0) setSizes((before) => new Map([...before, ...news]))
  }, [])
  const withSizes = <T extends Node>(nodes: T[]): T[] =>
    nodes.map((node) => (sizes.has(node.id) ? { ...node, measured: sizes.get(node.id) } : node))
  return { take, withSizes }
}
