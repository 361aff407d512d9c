import { Link } from '@tanstack/react-router'
import type { Api } from '@/api'
import { Notice } from '@/components/editing'
import { plural } from '@/lib/format'
import { plain } from '@/lib/inert'
import { heldOf } from './model'

/** The maximum number of children listed here. */
const MAX_LISTED = 5

/** Child results that were not delivered and need an action, with the server's explanation. */
export function Held({ session }: { session: Api.SessionView }) {
  const undelivered = session.undelivered_callback
  return (
    <>
      {heldOf(session).map(({ message, children }) => (
        <Notice key={message} tone="warning">
          <p className="[overflow-wrap:anywhere]">
            {children.length === 1 ? 'The result of a child session was not delivered to this session: ' : `The results of ${plural(children.length, 'child session')} were not delivered to this session: `}
            {plain(message)}
          </p>
          <p className="flex flex-wrap gap-x-3 text-ink">
            {children.slice(0, MAX_LISTED).map((child) => (
              <SessionLink key={child} id={child} />
            ))}
            {children.length > MAX_LISTED ? `and ${children.length - MAX_LISTED} more` : null}
          </p>
        </Notice>
      ))}
      {undelivered?.held && session.parent_session_id ? (
        <Notice tone="warning">
          <p className="[overflow-wrap:anywhere]">Its result was not delivered to its parent: {plain(undelivered.message ?? undelivered.held)}</p>
          <SessionLink id={session.parent_session_id} />
        </Notice>
      ) : null}
    </>
  )
}

function SessionLink({ id }: { id: string }) {
  return (
    <Link to="/sessions/$sessionId" params={{ sessionId: id }} className="underline">
      <code>{id}</code>
    </Link>
  )
}
