import { useQuery } from '@tanstack/react-query'
import { Navigate, getRouteApi } from '@tanstack/react-router'
import { runQuery } from '@/api/queries'
import { Page } from '@/components/page'
import { Answer } from '@/components/states'

const route = getRouteApi('/runs/$runId')

/** Redirects to the run in its session. */
export function RunPage() {
  const { runId } = route.useParams()
  return (
    <Page title="Run">
      <Answer query={useQuery(runQuery(runId))}>
        {(run) => (
          <Navigate to="/sessions/$sessionId" params={{ sessionId: run.session_id }} search={{ run: runId }} replace />
        )}
      </Answer>
    </Page>
  )
}
