import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import type { Api } from '@/api'
import { plain } from '@/lib/inert'
import { useDraft } from './draft'
import { spotOf } from './model'
import { useLook } from './selection'

/** What is wrong, each with a way to its node or edge. */
export function Findings({ problems }: { problems: readonly Api.Problem[] }) {
  const { graph } = useDraft()
  const look = useLook()
  if (problems.length === 0) {
    return (
      <p className="flex items-center gap-2 text-muted">
        <CircleCheck aria-hidden className="size-4 shrink-0 text-success" /> No problems found.
      </p>
    )
  }
  const wayTo = (problem: Api.Problem) => {
    const spot = spotOf(problem)
    if (spot.kind === 'node' && graph.nodes.some((node) => node.id === spot.id)) return () => look.go({ as: undefined, node: spot.id, edge: undefined })
    if (spot.kind === 'edge') return () => look.go({ as: undefined, node: undefined, edge: spot.index })
    return undefined
  }
  return (
    <ul aria-label="Findings" className="flex flex-col gap-2">
      {problems.map((problem, index) => {
        const go = wayTo(problem)
        return (
          <li key={index} className="flex items-start gap-2">
            {problem.severity === 'error' ? (
              <CircleX aria-label="Error" className="mt-0.5 size-4 shrink-0 text-danger" />
            ) : (
              <TriangleAlert aria-label="Warning" className="mt-0.5 size-4 shrink-0 text-warning" />
            )}
            <span className="min-w-0 break-words">
              {go === undefined ? (
                <code className="text-muted">{problem.path}</code>
              ) : (
                <button type="button" className="font-mono text-[0.93em] text-accent hover:underline" onClick={go}>
                  {problem.path}
                </button>
              )}{' '}
              {plain(problem.message)}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
