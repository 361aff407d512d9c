import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Waypoints } from 'lucide-react'
import type { Api } from '@/api'
import { plain } from '@/lib/inert'
import { originQuery } from './api'

/** A link to the workflow run and the node that this session belongs to. */
export function OriginLink({ session, hint }: { session: Api.SessionView; hint: string | undefined }) {
  const { data: origin } = useQuery(originQuery(session, hint))
  if (!origin) return null
  return (
    <Link
      to="/workflow-runs/$workflowRunId"
      params={{ workflowRunId: origin.workflow_run_id }}
      search={{ node: origin.node }}
      className="inline-flex items-center gap-1 text-accent hover:underline"
    >
      <Waypoints aria-hidden className="size-4" />
      node {plain(origin.node)} of workflow {plain(origin.workflow_name)}
    </Link>
  )
}
