import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { type Api, isGone } from '@/api'
import { runsQuery } from '@/api/queries'
import { CopyButton } from '@/components/command'
import { LiveOutput } from '@/components/live-output'
import { Page } from '@/components/page'
import { Answer, Failed, Loading } from '@/components/states'
import { Ago } from '@/components/time'
import { Select, StatusBadge, Tab, TabList, TabPanel, Tabs } from '@/components/ui'
import { appearanceOf, isUnfinished } from '@/lib/status'
import { SessionActions } from './actions'
import { runTextQuery, sessionQuery } from './api'
import { firstRunOf } from './model'
import { AttemptsView } from './attempts-view'
import { Family } from './family'
import { Held } from './held'
import { InputView } from './input-view'
import { OriginLink } from './origin-link'
import { ResultView } from './result-view'
import { RunSummary } from './run-summary'
import { StepsView } from './steps-view'
import { Timeline } from './timeline'
import { Waiting } from './waiting'

const route = getRouteApi('/sessions/$sessionId')

const VIEWS = ['timeline', 'steps', 'attempts', 'result', 'input', 'family'] as const
type View = (typeof VIEWS)[number]
const LABELS: Record<View, string> = {
  timeline: 'Timeline',
  steps: 'Steps',
  attempts: 'Attempts',
  result: 'Result',
  input: 'Input & contract',
  family: 'Parent & children',
}

/** The maximum number of runs in the select control. */
const MAX_RUNS = 200

export function SessionPage() {
  const { sessionId } = route.useParams()
  const query = useQuery(sessionQuery(sessionId))
  // The session may have been deleted while the page was open.
  if (query.data === undefined || isGone(query.error)) {
    return (
      <Page title="Session">
        {query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading />}
      </Page>
    )
  }
  return <Session session={query.data} />
}

function Session({ session }: { session: Api.SessionView }) {
  const search = route.useSearch()
  const runs = useQuery(runsQuery({ session_id: session.session_id, limit: MAX_RUNS }))
  const runId = search.run ?? session.last_run_id
  return (
    <Page
      title={`${session.agent_name} · Session`}
      fill={(search.view ?? 'timeline') === 'timeline'}
      heading={
        <>
          <Link to="/agents/$name" params={{ name: session.agent_name }} className="hover:underline">
            {session.agent_name}
          </Link>
          <StatusBadge status={session.status} />
        </>
      }
      lead={
        <span className="flex flex-wrap items-center gap-x-2">
          <code className="[overflow-wrap:anywhere]">{session.session_id}</code>
          <CopyButton text={session.session_id} label="Copy session id" />
          <span>
            created <Ago at={session.created_at} />
          </span>
          <OriginLink session={session} hint={search.workflow} />
        </span>
      }
      actions={
        <>
          <RunChoice runs={runs.data?.items ?? []} value={runId} />
          <SessionActions session={session} runId={runId} inputRunId={firstRunOf(runs.data?.items ?? [], runId)} />
        </>
      }
    >
      <Held session={session} />
      <Run session={session} runId={runId} />
    </Page>
  )
}

function RunChoice({ runs, value }: { runs: Api.RunView[]; value: string }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  if (runs.length < 2) return null
  return (
    <Select
      aria-label="Run"
      className="w-64"
      value={value}
      onChange={(event) =>
        void navigate({ search: { view: search.view, workflow: search.workflow, run: event.target.value } })
      }
    >
      {runs.map((run, index) => (
        <option key={run.run_id} value={run.run_id}>
          Run {runs.length - index} of {runs.length} · {appearanceOf(run.status).label}
        </option>
      ))}
    </Select>
  )
}

function Run({ session, runId }: { session: Api.SessionView; runId: string }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(runTextQuery(runId))
  const view = search.view ?? 'timeline'
  return (
    <Answer query={query}>
      {(text) => {
        const run = JSON.parse(text) as Api.RunView
        return (
          <>
            <Waiting run={run} />
            <RunSummary run={run} />
            <Tabs
              value={view}
              onValueChange={(next) =>
                void navigate({ search: { ...search, view: VIEWS.find((known) => known === next) }, replace: true })
              }
              className="flex min-h-0 flex-1 flex-col"
            >
              <TabList aria-label="Parts of the session">
                {VIEWS.map((each) => (
                  <Tab key={each} value={each}>
                    {LABELS[each]}
                  </Tab>
                ))}
              </TabList>
              <TabPanel value="timeline" className="flex min-h-64 flex-1 flex-col gap-4">
                <Timeline sessionId={session.session_id} runId={runId} />
                {isUnfinished(run.status) ? <LiveOutput sessionId={session.session_id} runId={runId} /> : null}
              </TabPanel>
              <TabPanel value="steps">
                <StepsView run={run} text={text} />
              </TabPanel>
              <TabPanel value="attempts">
                <AttemptsView runId={runId} />
              </TabPanel>
              <TabPanel value="result">
                <ResultView run={run} text={text} />
              </TabPanel>
              <TabPanel value="input">
                <InputView run={run} text={text} />
              </TabPanel>
              <TabPanel value="family">
                <Family session={session} />
              </TabPanel>
            </Tabs>
          </>
        )
      }}
    </Answer>
  )
}
