import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookmarkPlus } from 'lucide-react'
import { messageOf } from '@/api'
import { agentQuery } from '@/api/agents'
import { OnlyWho } from '@/components/read-only'
import { Button } from '@/components/ui'
import { plain } from '@/lib/inert'
import type { Json } from '@/lib/lossless'
import { useSaveExample } from './api'
import { hasExample } from './model'

interface Props {
  agent: string
  input: Json
  output: Json
}

/** Adds a corrected result to the agent's examples. Hidden for agents that cannot be edited, such as inline agents of workflows. */
export function SaveExample({ agent, input, output }: Props) {
  const known = useQuery({ ...agentQuery(agent), retry: false }).data
  const save = useSaveExample(agent)
  if (known === undefined) return null
  return (
    <OnlyWho may="administers">
      <div className="flex flex-wrap items-center gap-3">
        {hasExample(known.blueprint, input, output) ? (
          <p role="status" className="text-muted">
            This input and its result are a test case of{' '}
            <Link to="/agents/$name" params={{ name: agent }} className="text-accent underline">
              {plain(agent)}
            </Link>
            .
          </p>
        ) : (
          <Button disabled={save.isPending} onClick={() => save.mutate({ input, output })}>
            <BookmarkPlus aria-hidden /> Save as test case
          </Button>
        )}
        {save.error ? (
          <p role="alert" className="text-danger [overflow-wrap:anywhere]">
            {plain(messageOf(save.error))}
          </p>
        ) : null}
      </div>
    </OnlyWho>
  )
}
