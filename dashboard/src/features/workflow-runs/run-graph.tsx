import { GitCompareArrows, TriangleAlert } from 'lucide-react'
import { Suspense, lazy, useMemo, useSyncExternalStore } from 'react'
import type { Api } from '@/api'
import { Loading } from '@/components/states'
import { Badge, Card } from '@/components/ui'
import { plural } from '@/lib/format'
import { plain } from '@/lib/inert'
import { graphOf, noteOf } from './graph'

const GraphView = lazy(async () => ({ default: (await import('@/components/graph')).GraphView }))

/** Ranks go down where there is no room for them side by side. */
const NARROW = window.matchMedia('(width < 48rem)')

function watchWidth(listener: () => void): () => void {
  NARROW.addEventListener('change', listener)
  return () => NARROW.removeEventListener('change', listener)
}

interface Props {
  run: Api.WorkflowRunView
  selected: string | null
  onSelect: (node: string | null) => void
}

/** The graph, filling in. */
export function RunGraph({ run, selected, onSelect }: Props) {
  const shape = JSON.stringify(graphOf(run))
  // The same graph as long as nothing of it changes, so that it is laid out once.
  const graph = useMemo(() => JSON.parse(shape) as ReturnType<typeof graphOf>, [shape])
  const states = useMemo(
    () => Object.fromEntries(run.nodes.map((node) => [node.id, { status: node.status, note: <Note node={node} /> }])),
    [run.nodes],
  )
  const narrow = useSyncExternalStore(watchWidth, () => NARROW.matches)
  return (
    <Card aria-label="Graph" className="h-[25rem] overflow-hidden max-md:h-[28rem]">
      <Suspense fallback={<Loading />}>
        <GraphView
          label={`The nodes of ${run.workflow_name}`}
          graph={graph}
          direction={narrow ? 'down' : 'right'}
          nodeStates={states}
          selected={selected}
          onSelect={onSelect}
        />
      </Suspense>
    </Card>
  )
}

/** A marker where siblings were compared and contradict each other; else a word more. */
function Note({ node }: { node: Api.WorkflowNodeView }) {
  const { contradictions, near_duplicates } = node
  if (node.warning) {
    return (
      <Badge tone="warning" title={plain(node.warning)}>
        <TriangleAlert aria-hidden /> warning
      </Badge>
    )
  }
  if (contradictions.length === 0) return noteOf(node)
  const said = plural(contradictions.length, 'contradiction')
  const more = near_duplicates.length === 0 ? '' : `, ${plural(near_duplicates.length, 'near-duplicate')}`
  return (
    <Badge tone="warning" title={`Before it began: ${said}${more}`}>
      <GitCompareArrows aria-hidden /> {contradictions.length}
      <span className="sr-only"> {contradictions.length === 1 ? 'contradiction' : 'contradictions'}</span>
    </Badge>
  )
}
