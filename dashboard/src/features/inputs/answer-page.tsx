import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { CircleCheck, CircleX } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { ApiError, messageOf } from '@/api'
import { Page } from '@/components/page'
import { Failed, Loading } from '@/components/states'
import { useNow } from '@/components/time'
import { Card } from '@/components/ui'
import { moment, until } from '@/lib/format'
import { plain } from '@/lib/inert'
import { PURPOSES } from '@/lib/inputs'
import { AnswerForm } from './answer-form'
import { linkQuery, useAnswerByLink } from './api'
import { readRequest } from './model'
import { RequestView } from './request-view'

/** The page of a one-time link, without API key and navigation. */
export function AnswerPage() {
  const token = useLocation({ select: ({ hash }) => hash })
  return (
    <main className="mx-auto min-h-dvh w-full max-w-3xl">
      {token === '' ? (
        <Page title="Answer">
          <Message good={false} title="This link is incomplete">
            The part after # is missing. Copy the whole link.
          </Message>
        </Page>
      ) : (
        <ByLink key={token} token={token} />
      )}
    </main>
  )
}

function isRejected(error: unknown): boolean {
  return error instanceof ApiError && [403, 404, 409].includes(error.status)
}

function ByLink({ token }: { token: string }) {
  const query = useQuery(linkQuery(token))
  if (query.data !== undefined) return <Form token={token} text={query.data} />
  return (
    <Page title="Answer">
      {isRejected(query.error) ? <InvalidLink error={query.error} /> : query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading />}
    </Page>
  )
}

function Form({ token, text }: { token: string; text: string }) {
  const request = useMemo(() => readRequest(text), [text])
  const { view } = request
  const answer = useAnswerByLink(token, view.digest)
  const now = useNow()
  if (answer.isSuccess) {
    return (
      <Page title="Thank you">
        <Message good title="Your answer was saved">
          You can close this page.
        </Message>
      </Page>
    )
  }
  if (isRejected(answer.error)) {
    return (
      <Page title="Answer">
        <InvalidLink error={answer.error} />
      </Page>
    )
  }
  return (
    <Page
      title={PURPOSES[view.purpose]}
      lead={
        <>
          {plain(view.agent_name)} · answer by{' '}
          <time dateTime={view.expires_at} title={moment(view.expires_at)}>
            {until(view.expires_at, now)}
          </time>
        </>
      }
    >
      <RequestView request={request} />
      <AnswerForm request={request} onSend={answer.mutate} pending={answer.isPending} error={answer.error} />
    </Page>
  )
}

function InvalidLink({ error }: { error: unknown }) {
  return (
    <Message good={false} title="This link cannot be used">
      {plain(messageOf(error))}. Ask for a new link if an answer is still needed.
    </Message>
  )
}

function Message({ good, title, children }: { good: boolean; title: string; children: ReactNode }) {
  const Icon = good ? CircleCheck : CircleX
  return (
    <Card role={good ? 'status' : 'alert'} className="flex items-start gap-3 p-4">
      <Icon aria-hidden className={`mt-0.5 size-5 shrink-0 ${good ? 'text-success' : 'text-danger'}`} />
      <div className="min-w-0">
        <p className="font-semibold">{title}</p>
        <p className="text-muted [overflow-wrap:anywhere]">{children}</p>
      </div>
    </Card>
  )
}
