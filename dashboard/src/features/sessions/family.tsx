import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Api } from '@/api'
import { Answer, Empty } from '@/components/states'
import { Ago } from '@/components/time'
import { Card, CardHeader, StatusBadge } from '@/components/ui'
import { childrenQuery, sessionQuery } from './api'

/** The parent and the children of a session. */
export function Family({ session }: { session: Api.SessionView }) {
  return (
    <div className="flex flex-col gap-4">
      {session.parent_session_id ? <Parent id={session.parent_session_id} /> : null}
      <Card>
        <CardHeader
          title="Children"
          actions={
            <Link to="/sessions" search={{ parent: session.session_id }} className="text-accent hover:underline">
              Open as a list
            </Link>
          }
        />
        <Answer query={useQuery(childrenQuery(session.session_id))}>
          {(page) => <Children page={page} parent={session.session_id} />}
        </Answer>
      </Card>
    </div>
  )
}

interface ChildrenProps {
  page: Pick<Api.PageSessionView, 'items' | 'next_cursor'>
  parent: string
}

export function Children({ page: { items, next_cursor: next }, parent }: ChildrenProps) {
  if (items.length === 0) return <Empty title="No child sessions" />
  return (
    <>
      <ul className="divide-y">
        {items.map((child) => (
          <SessionRow key={child.session_id} session={child} />
        ))}
      </ul>
      {next ? (
        <p className="border-t px-4 py-2 text-muted">
          Showing the newest {items.length}.{' '}
          <Link to="/sessions" search={{ parent }} className="text-accent underline">
            Show all
          </Link>
        </p>
      ) : null}
    </>
  )
}

function Parent({ id }: { id: string }) {
  return (
    <Card>
      <CardHeader title="Parent" />
      <Answer query={useQuery(sessionQuery(id))}>
        {(parent) => (
          <ul>
            <SessionRow session={parent} />
          </ul>
        )}
      </Answer>
    </Card>
  )
}

function SessionRow({ session }: { session: Api.SessionView }) {
  return (
    <li className="flex flex-wrap items-center gap-3 px-4 py-2">
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: session.session_id }}
        className="font-medium text-accent hover:underline"
      >
        {session.agent_name}
      </Link>
      <StatusBadge status={session.status} />
      <code className="text-muted max-md:hidden">{session.session_id}</code>
      <span className="ml-auto text-muted">
        <Ago at={session.created_at} />
      </span>
    </li>
  )
}
