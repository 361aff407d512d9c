import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { messageOf } from '@/api'
import { useRights } from '@/api/role'
import { CopyButton } from '@/components/command'
import { Notice } from '@/components/editing'
import { Fact } from '@/components/fact'
import { Page } from '@/components/page'
import { Failed, Loading } from '@/components/states'
import { Ago, useNow } from '@/components/time'
import { Card, CardBody, StatusBadge } from '@/components/ui'
import { moment, until } from '@/lib/format'
import { plain } from '@/lib/inert'
import { PURPOSES } from '@/lib/inputs'
import { AnswerForm } from './answer-form'
import { inputQuery, useAnswer } from './api'
import { CreateLink } from './create-link'
import { type Request, readRequest } from './model'
import { Outcome } from './outcome'
import { RequestView } from './request-view'

const route = getRouteApi('/inputs/$inputId')

/** An input request and the form to answer it. */
export function InputPage() {
  const { inputId } = route.useParams()
  const query = useQuery(inputQuery(inputId))
  const request = useMemo(() => (query.data === undefined ? null : readRequest(query.data)), [query.data])
  if (request === null) {
    return <Page title="Input">{query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading />}</Page>
  }
  return <Input key={inputId} request={request} />
}

function Input({ request }: { request: Request }) {
  const { view } = request
  const { calls, role } = useRights()
  const answer = useAnswer(view)
  const isOpen = view.status === 'open'
  return (
    <Page
      title={`${PURPOSES[view.purpose]} · ${view.agent_name}`}
      heading={
        <>
          {PURPOSES[view.purpose]}
          <StatusBadge status={view.status} />
        </>
      }
      lead={
        <span className="flex flex-wrap items-center gap-x-2">
          <code className="[overflow-wrap:anywhere]">{view.id}</code>
          <CopyButton text={view.id} label="Copy input id" />
        </span>
      }
    >
      {answer.error && !isOpen ? (
        <Notice tone="warning">
          <p className="[overflow-wrap:anywhere]">Your answer was not saved: {plain(messageOf(answer.error))}</p>
        </Notice>
      ) : null}
      <Facts request={request} />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <RequestView request={request} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {!isOpen ? <Outcome request={request} /> : null}
          {isOpen && !calls ? <p className="text-muted">Your key has the role {role}, which cannot answer requests.</p> : null}
          {isOpen && calls ? (
            <>
              <AnswerForm request={request} onSend={answer.mutate} pending={answer.isPending} error={answer.error} />
              <CreateLink id={view.id} />
            </>
          ) : null}
        </div>
      </div>
    </Page>
  )
}

function Facts({ request: { view } }: { request: Request }) {
  const now = useNow()
  return (
    <Card>
      <CardBody className="py-2.5">
        <dl className="flex flex-wrap gap-x-6 gap-y-2">
          <Fact label="Agent">
            <Link to="/agents/$name" params={{ name: view.agent_name }} className="text-accent hover:underline">
              {plain(view.agent_name)}
            </Link>
          </Fact>
          <Fact label="Run">
            <Link to="/sessions/$sessionId" params={{ sessionId: view.session_id }} search={{ run: view.run_id }} className="text-accent hover:underline">
              <code className="[overflow-wrap:anywhere]">{view.run_id}</code>
            </Link>
          </Fact>
          <Fact label="Asked">
            <Ago at={view.created_at} />
          </Fact>
          <Fact label="Deadline">
            <time dateTime={view.expires_at} title={moment(view.expires_at)}>
              {until(view.expires_at, now)}
            </time>
          </Fact>
          <Fact label="If nobody answers">{view.failure ? 'the run fails' : 'the run continues without an answer'}</Fact>
        </dl>
      </CardBody>
    </Card>
  )
}
