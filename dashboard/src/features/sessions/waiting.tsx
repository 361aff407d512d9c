import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CirclePause } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Api } from '@/api'
import { REFETCH_MS, openInputsQuery } from '@/api/queries'
import { OpenInputs } from '@/components/open-inputs'
import { useNow } from '@/components/time'
import { moment, until } from '@/lib/format'
import { plain } from '@/lib/inert'
import { isUnfinished } from '@/lib/status'
import { childrenQuery } from './api'
import { waitingFor } from './model'

/** What a run waits for and until when; nothing while it is running. */
export function Waiting({ run }: { run: Api.RunView }) {
  if (run.status === 'waiting') return <ForChildren run={run} />
  return run.status === 'input_required' ? <ForPeople run={run} /> : null
}

function ForPeople({ run }: { run: Api.RunView }) {
  const { data } = useQuery(openInputsQuery({ run_id: run.run_id }))
  return (
    <OpenInputs inputs={data?.items ?? []}>
      Waiting for an answer from a person<Until run={run} />.
    </OpenInputs>
  )
}

function ForChildren({ run }: { run: Api.RunView }) {
  const { data } = useQuery({ ...childrenQuery(run.session_id), refetchInterval: REFETCH_MS })
  const now = useNow()
  const open = data?.items.filter((child) => isUnfinished(child.status)) ?? []
  return (
    <Line run={run}>
      <span>
        Waiting {waitingFor(open.length, run.waits_until, now)}.
      </span>
      {open.map((child) => (
        <Link
          key={child.session_id}
          to="/sessions/$sessionId"
          params={{ sessionId: child.session_id }}
          title={child.session_id}
          className="underline"
        >
          {plain(child.agent_name)}
        </Link>
      ))}
    </Line>
  )
}

function Until({ run }: { run: Api.RunView }) {
  const now = useNow()
  return run.waits_until ? ` until ${until(run.waits_until, now)}` : null
}

function Line({ run, children }: { run: Api.RunView; children: ReactNode }) {
  return (
    <p
      role="status"
      title={run.waits_until ? moment(run.waits_until) : undefined}
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-info-soft px-3 py-2 text-info"
    >
      <CirclePause aria-hidden className="size-4 shrink-0" />
      {children}
    </p>
  )
}
