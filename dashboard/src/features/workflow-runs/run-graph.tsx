import { GitCompareArrows, TriangleAlert } from 'lucide-react'
import { Suspense, lazy, useMemo } from 'react'
import type { Api } from '@/api'
import { useDirection } from '@/components/graph/direction'
import { Loading } from '@/components/states'
import { Badge, Card } from '@/components/ui'
import { cn } from '@/lib/cn'
import { plural } from '@/lib/format'
import { plain } from '@/lib/inert'
import { useOpenInputs } from './api'
import { breadthOf, graphOf, noteOf } from './graph'
import { inputsOf } from './model'

const GraphView = lazy(async () => ({ default: (await import('@/components/graph')).GraphView }))

/** Heights by the breadth of the graph. */
const HEIGHTS = ['h-52', 'h-52', 'h-72', 'h-[25rem]']

interface Props {
  run: Api.WorkflowRunView
  selected: string | null
  onSelect: (node: string | null) => void
}

/** The graph of a run with live node states. */
export function RunGraph({ run, selected, onSelect }: Props) {
  const shape = JSON.stringify(graphOf(run))
  // The same object while the graph does not change, so that it is laid out only once.
  const graph = useMemo(() => JSON.parse(shape) as ReturnType<typeof graphOf>, [shape])
  const open = useOpenInputs(run)
  const states = useMemo(
    () =>
      Object.fromEntries(
        run.nodes.map((node) => {
          const status = inputsOf(node, open).length > 0 ? 'input_required' : node.status
          return [node.id, { status, note: <Note node={node} /> }]
        }),
      ),
    [run.nodes, open],
  )
  const breadth = useMemo(() => breadthOf(graph), [graph])
  const direction = useDirection()
  return (
    <Card aria-label="Graph" className={cn('overflow-hidden max-md:h-[28rem]', HEIGHTS[Math.min(breadth, 3)])}>
      <Suspense fallback={<Loading />}>
        <GraphView
          label={`The nodes of ${run.workflow_name}`}
          graph={graph}
          direction={direction}
          nodeStates={states}
          selected={selected}
          onSelect={onSelect}
        />
      </Suspense>
    </Card>
  )
}

/** A badge for a warning or for contradictions between upstream agents, else the progress or duration. */
function Note({ node }: { node: Api.WorkflowNodeView }) {
  const { contradictions, near_duplicates } = node
  if (node.warning) {
    return (
      <Badge tone="warning" title={plain(node.warning)}>
        <TriangleAlert aria-hidden />
        <span className="sr-only">warning</span>
      </Badge>
    )
  }
  if (contradictions.length === 0) return noteOf(node)
  const found = plural(contradictions.length, 'contradiction')
  const more = near_duplicates.length === 0 ? '' : `, ${plural(near_duplicates.length, 'near-duplicate')}`
  return (
    <Badge tone="warning" title={`Before it ran: ${found}${more}`}>
      <GitCompareArrows aria-hidden /> {contradictions.length}
      <span className="sr-only"> {contradictions.length === 1 ? 'contradiction' : 'contradictions'}</span>
    </Badge>
  )
}
