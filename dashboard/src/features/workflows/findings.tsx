import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import type { Api } from '@/api'
import { plain } from '@/lib/inert'
import { useDraft } from './draft'
import { targetOf } from './model'
import { useSelection } from './selection'

/** A list of problems with links to their nodes and edges. */
export function Findings({ problems }: { problems: readonly Api.Problem[] }) {
  const { graph } = useDraft()
  const selection = useSelection()
  if (problems.length === 0) {
    return (
      <p className="flex items-center gap-2 text-muted">
        <CircleCheck aria-hidden className="size-4 shrink-0 text-success" /> No problems found.
      </p>
    )
  }
  const linkTo = (problem: Api.Problem) => {
    const target = targetOf(problem)
    if (target.kind === 'node' && graph.nodes.some((node) => node.id === target.id)) return () => selection.go({ as: undefined, node: target.id, edge: undefined })
    if (target.kind === 'edge') return () => selection.go({ as: undefined, node: undefined, edge: target.index })
    return undefined
  }
  return (
    <ul aria-label="Findings" className="flex flex-col gap-2">
      {problems.map((problem, index) => {
        const go = linkTo(problem)
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
