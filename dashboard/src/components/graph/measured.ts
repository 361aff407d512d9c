import type { Node, NodeChange } from '@xyflow/react'
import { useCallback, useState } from 'react'
import type { Size } from './layout'

/**
 * Keeps the measured sizes of nodes. React Flow measures a node once, and hides its edges when it gets the node again without
 * the size, which happens because nodes are recreated from the document.
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
