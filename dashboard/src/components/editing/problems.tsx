import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import type { Api } from '@/api'
import { Badge } from '@/components/ui'
import { plural } from '@/lib/format'
import { plain } from '@/lib/inert'

/** A badge with the validation result. */
export function Verdict({ of }: { of: { valid: boolean; problems: readonly Api.Problem[] } }) {
  if (!of.valid) {
    const errors = of.problems.filter((problem) => problem.severity === 'error').length
    return (
      <Badge tone="danger">
        <CircleX aria-hidden /> Invalid{errors > 0 ? `: ${plural(errors, 'error')}` : ''}
      </Badge>
    )
  }
  if (of.problems.length > 0) {
    return (
      <Badge tone="warning">
        <TriangleAlert aria-hidden /> {plural(of.problems.length, 'warning')}
      </Badge>
    )
  }
  return (
    <Badge tone="success">
      <CircleCheck aria-hidden /> Valid
    </Badge>
  )
}

/** A list of problems with their locations. */
export function Problems({ problems }: { problems: readonly Api.Problem[] }) {
  if (problems.length === 0) return null
  return (
    <ul className="flex flex-col gap-1.5 rounded-md bg-sunken px-3 py-2">
      {problems.map((problem, index) => (
        <li key={index} className="flex items-start gap-2">
          {problem.severity === 'error' ? (
            <CircleX aria-label="Error" className="mt-0.5 size-4 shrink-0 text-danger" />
          ) : (
            <TriangleAlert aria-label="Warning" className="mt-0.5 size-4 shrink-0 text-warning" />
          )}
          <span className="min-w-0 break-words">
            <code className="text-muted">{problem.path}</code> {plain(problem.message)}
            {problem.file ? (
              <code className="block text-muted">
                {problem.file}
                {problem.line ? `:${problem.line}` : ''}
                {problem.column ? `:${problem.column}` : ''}
              </code>
            ) : null}
          </span>
        </li>
      ))}
    </ul>
  )
}
