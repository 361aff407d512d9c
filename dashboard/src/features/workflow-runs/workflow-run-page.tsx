import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { RotateCcw, Square, StepForward } from 'lucide-react'
import { useMemo } from 'react'
import { type Api, isGone, messageOf } from '@/api'
import { workflowRunQuery } from '@/api/queries'
import { CopyButton } from '@/components/command'
import { OpenInputs } from '@/components/open-inputs'
import { Page } from '@/components/page'
import { OnlyWho } from '@/components/read-only'
import { Empty, Failed, Loading } from '@/components/states'
import { Ago } from '@/components/time'
import { Badge, Button, Card, StatusBadge, Tab, TabList, TabPanel, Tabs, buttonStyle } from '@/components/ui'
import { ValueCard } from '@/components/value-card'
import { plain } from '@/lib/inert'
import { isUnfinished } from '@/lib/status'
import { useOpenInputs, useRetryWorkflowRun, useStopWorkflowRun } from './api'
import { ComparisonView } from './comparison-view'
import { type Reading, VIEWS, canResume, countsOf, inputsOf, isPoisoned, nodeOf, readRun, viewOf } from './model'
import { NodePanel } from './node-panel'
import { Fault, RunFacts } from './run-facts'
import { RunGraph } from './run-graph'
import { RunTimeline } from './run-timeline'

const route = getRouteApi('/workflow-runs/$workflowRunId')

export function WorkflowRunPage() {
  const { workflowRunId } = route.useParams()
  const query = useQuery(workflowRunQuery(workflowRunId))
  const reading = useMemo(() => (query.data === undefined ? null : readRun(query.data)), [query.data])
  // The run may have been deleted while the page was open.
  if (reading === null || isGone(query.error)) {
    return (
      <Page title="Workflow run">
        {query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading />}
      </Page>
    )
  }
  const { run } = reading
  return (
    <Page
      title={`${run.workflow_name} · Workflow run`}
      heading={
        <>
          <Link to="/workflows/$name" params={{ name: run.workflow_name }} className="hover:underline">
            {plain(run.workflow_name)}
          </Link>
          <Status run={run} />
        </>
      }
      lead={<Lead run={run} />}
      actions={<OnlyWho may="calls"><Action run={run} /></OnlyWho>}
    >
      {run.error ? <Fault title="Workflow failed" fault={run.error} /> : null}
      {isPoisoned(run) ? (
        <Card>
          <Empty title="Its nodes are not shown">
            Coordinators crashed during a step of this run, so its data is no longer loaded. Fix the cause, then retry: the run continues
            where it stopped.
          </Empty>
        </Card>
      ) : (
        <>
          <Waiting run={run} />
          <RunFacts run={run} />
          <Body reading={reading} />
        </>
      )}
    </Page>
  )
}

/** The open input requests of the nodes of a run. */
function useInputs(run: Api.WorkflowRunView): Api.InputRequest[] {
  const open = useOpenInputs(run)
  return run.nodes.flatMap((node) => inputsOf(node, open))
}

/** For the server a run is running while one of its nodes waits for a person. */
function Status({ run }: { run: Api.WorkflowRunView }) {
  return <StatusBadge status={useInputs(run).length > 0 ? 'input_required' : run.status} />
}

function Waiting({ run }: { run: Api.WorkflowRunView }) {
  const open = useInputs(run)
  return open.length === 0 ? null : <OpenInputs inputs={open}>This workflow waits for an answer from a person.</OpenInputs>
}

function Lead({ run }: { run: Api.WorkflowRunView }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <code className="[overflow-wrap:anywhere]">{run.workflow_run_id}</code>
      <CopyButton text={run.workflow_run_id} label="Copy workflow run id" />
      <span>
        started <Ago at={run.created_at} />
      </span>
      {run.parent_workflow_run_id ? (
        <Link
          to="/workflow-runs/$workflowRunId"
          params={{ workflowRunId: run.parent_workflow_run_id }}
          className="text-accent hover:underline"
        >
          part of another workflow run
        </Link>
      ) : null}
    </span>
  )
}

function Action({ run }: { run: Api.WorkflowRunView }) {
  if (isUnfinished(run.status)) return <Stop run={run} />
  if (isPoisoned(run)) return <Retry run={run} label="Retry" />
  return (
    <>
      {canResume(run) ? <Retry run={run} label={run.status === 'failed' ? 'Resume from the failed node' : 'Resume'} /> : null}
      <RunAgain run={run} />
    </>
  )
}

/** Continues the run. Completed nodes are kept. */
function Retry({ run, label }: { run: Api.WorkflowRunView; label: string }) {
  const retry = useRetryWorkflowRun(run.workflow_run_id)
  return (
    <>
      {retry.error ? (
        <p role="alert" className="text-danger">
          {messageOf(retry.error)}
        </p>
      ) : null}
      <Button variant="secondary" disabled={retry.isPending} onClick={() => retry.mutate()}>
        <StepForward aria-hidden /> {label}
      </Button>
    </>
  )
}

function RunAgain({ run }: { run: Api.WorkflowRunView }) {
  return (
    <Link
      to="/workflows/$name"
      params={{ name: run.workflow_name }}
      search={{ starting: true, run: run.workflow_run_id }}
      className={buttonStyle({ variant: 'secondary' })}
    >
      <RotateCcw aria-hidden /> Run again
    </Link>
  )
}

function Stop({ run }: { run: Api.WorkflowRunView }) {
  const stop = useStopWorkflowRun(run.workflow_run_id)
  return (
    <>
      {stop.error ? (
        <p role="alert" className="text-danger">
          {messageOf(stop.error)}
        </p>
      ) : null}
      <Button variant="danger" disabled={stop.isPending || run.status === 'stopping'} onClick={() => stop.mutate()}>
        <Square aria-hidden /> Stop
      </Button>
    </>
  )
}

function Body({ reading }: { reading: Reading }) {
  const { run, part } = reading
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const view = viewOf(run, search)
  const selected = nodeOf(run, search)
  const node = run.nodes.find((each) => each.id === selected)
  const { contradictions } = countsOf(run)
  // Keep the scroll position when another node or view is selected.
  const show = (next: typeof search) => void navigate({ search: next, replace: true, resetScroll: false })
  return (
    <>
      <RunGraph
        run={run}
        selected={selected ?? null}
        onSelect={(id) => show(id === null ? { view: 'comparison' } : { node: id })}
      />
      <Tabs
        value={view}
        onValueChange={(next) => show({ node: selected, view: VIEWS.find((known) => known === next) })}
      >
        <TabList aria-label="Parts of the workflow run">
          <Tab value="comparison">
            Comparison {contradictions > 0 ? <Badge tone="warning">{contradictions}</Badge> : null}
          </Tab>
          {selected === undefined ? null : <Tab value="node">Node {plain(selected)}</Tab>}
          <Tab value="timeline">Timeline</Tab>
          <Tab value="result">Result</Tab>
          <Tab value="input">Input</Tab>
        </TabList>
        <TabPanel value="comparison">
          <ComparisonView reading={reading} />
        </TabPanel>
        <TabPanel value="node">
          {node === undefined ? (
            <Card>
              <Empty title="No such node in this run">Choose one in the graph.</Empty>
            </Card>
          ) : (
            <NodePanel key={node.id} reading={reading} node={node} />
          )}
        </TabPanel>
        <TabPanel value="timeline">
          <RunTimeline run={run} selected={selected ?? null} />
        </TabPanel>
        <TabPanel value="result">
          <Result run={run} text={part('output')} />
        </TabPanel>
        <TabPanel value="input">
          <ValueCard title="Input" text={part('input') ?? 'null'} />
        </TabPanel>
      </Tabs>
    </>
  )
}

function Result({ run, text }: { run: Api.WorkflowRunView; text: string | null }) {
  if (text !== null) return <ValueCard title="Result" text={text} />
  return (
    <Card>
      {isUnfinished(run.status) ? (
        <Empty title="No result yet">The result appears here when the workflow finishes.</Empty>
      ) : (
        <Empty title="No result">{run.error ? plain(run.error.message) : 'The run was stopped.'}</Empty>
      )}
    </Card>
  )
}
