import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import type { Api } from '@/api'
import { Answer, Empty } from '@/components/states'
import { StatusBadge } from '@/components/ui'
import { cn } from '@/lib/cn'
import { duration, plural } from '@/lib/format'
import { attemptsQuery } from './api'
import { AttemptDetail } from './attempt-detail'
import { attemptId } from './model'

const route = getRouteApi('/sessions/$sessionId')

/** All attempts of a run with their outcomes. */
export function AttemptsView({ runId }: { runId: string }) {
  return (
    <Answer query={useQuery(attemptsQuery(runId))}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No attempts">Attempts are recorded for runs with an output contract.</Empty>
        ) : (
          <Attempts attempts={items} />
        )
      }
    </Answer>
  )
}

function Attempts({ attempts }: { attempts: Api.Attempt[] }) {
  const search = route.useSearch()
  const { sessionId } = route.useParams()
  const at = attempts.findIndex((attempt) => attemptId(attempt) === search.attempt)
  const index = at < 0 ? attempts.length - 1 : at
  const chosen = attempts[index]
  return (
    <div className="flex flex-col gap-4 lg:flex-row">
      <nav aria-label="Attempts" className="shrink-0 lg:w-60">
        <ol className="flex gap-2 overflow-x-auto lg:flex-col">
          {attempts.map((attempt, each) => (
            <li key={attemptId(attempt)}>
              <Link
                to="/sessions/$sessionId"
                params={{ sessionId }}
                search={{ ...search, view: 'attempts', attempt: attemptId(attempt), error: undefined }}
                replace
                aria-current={each === index ? 'true' : undefined}
                className={cn(
                  'flex flex-col gap-1 rounded-card border bg-surface px-3 py-2 hover:bg-hover',
                  each === index && 'border-accent ring-1 ring-accent',
                )}
              >
                <span className="flex items-center justify-between gap-2 font-medium">
                  Attempt {attempt.number}
                  {attempt.delivery > 1 ? <span className="text-muted">delivery {attempt.delivery}</span> : null}
                </span>
                <StatusBadge status={attempt.outcome} className="self-start" />
                <span className="text-[0.93rem] text-muted">
                  {plural(attempt.errors?.length ?? 0, 'error')} · {duration(attempt.duration_ms)}
                </span>
              </Link>
            </li>
          ))}
        </ol>
      </nav>
      {chosen ? <AttemptDetail key={attemptId(chosen)} attempt={chosen} previous={attempts[index - 1]} /> : null}
    </div>
  )
}
