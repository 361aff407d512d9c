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

/** The form behind a one-time link: no API key, no navigation. */
export function AnswerPage() {
  const token = useLocation({ select: ({ hash }) => hash })
  return (
    <main className="mx-auto min-h-dvh w-full max-w-3xl">
      {token === '' ? (
        <Page title="Answer">
          <Said good={false} title="This link is incomplete">
            The part after # is missing. Copy the whole link.
          </Said>
        </Page>
      ) : (
        <ByLink key={token} token={token} />
      )}
    </main>
  )
}

function isRefused(error: unknown): boolean {
  return error instanceof ApiError && [403, 404, 409].includes(error.status)
}

function ByLink({ token }: { token: string }) {
  const query = useQuery(linkQuery(token))
  if (query.data !== undefined) return <Form token={token} text={query.data} />
  return (
    <Page title="Answer">
      {isRefused(query.error) ? <NotValid error={query.error} /> : query.error ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Loading />}
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
        <Said good title="Your answer was saved">
          You can close this page.
        </Said>
      </Page>
    )
  }
  if (isRefused(answer.error)) {
    return (
      <Page title="Answer">
        <NotValid error={answer.error} />
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

function NotValid({ error }: { error: unknown }) {
  return (
    <Said good={false} title="This link cannot be used">
      {plain(messageOf(error))}. Ask for a new link if an answer is still needed.
    </Said>
  )
}

function Said({ good, title, children }: { good: boolean; title: string; children: ReactNode }) {
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
