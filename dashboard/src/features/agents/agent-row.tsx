import { Link } from '@tanstack/react-router'
import { FileText, LogIn, LogOut, Play } from 'lucide-react'
import type { Api } from '@/api'
import { Problems, Verdict } from '@/components/editing'
import { OnlyWho } from '@/components/read-only'
import { Badge, buttonStyle } from '@/components/ui'
import { plain } from '@/lib/inert'

export function AgentRow({ agent }: { agent: Api.AgentSummary }) {
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-64">
          <div className="flex flex-wrap items-center gap-2">
            <Link to="/agents/$name" params={{ name: agent.name }} className="font-semibold text-accent hover:underline">
              {agent.name}
            </Link>
            <Verdict of={agent} />
          </div>
          <p className="text-muted [overflow-wrap:anywhere]">{plain(agent.description) || 'No description'}</p>
        </div>
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-muted">
          <span className="[overflow-wrap:anywhere]">
            {agent.executor_type === 'replay' ? 'recording' : plain(agent.executor_type) || 'no executor'}
            {agent.model ? ` · ${plain(agent.model)}` : ''}
          </span>
          <Contracts agent={agent} />
          {agent.source === 'file' ? (
            <Badge title="Defined in a file">
              <FileText aria-hidden /> file
            </Badge>
          ) : null}
          {agent.tags.map((tag) => (
            <Link key={tag} to="/agents" search={({ find }) => ({ find, tags: tag })} className="max-w-full min-w-0" title={plain(tag)}>
              <Badge className="max-w-full">
                <span className="truncate">{plain(tag)}</span>
              </Badge>
            </Link>
          ))}
        </div>
        {agent.valid ? (
          <OnlyWho may="calls">
            <Link
              to="/agents/$name"
              params={{ name: agent.name }}
              search={{ tab: 'try' }}
              className={buttonStyle({ size: 'small' })}
              aria-label={`Try it: ${agent.name}`}
            >
              <Play aria-hidden /> Try it
            </Link>
          </OnlyWho>
        ) : null}
      </div>
      <Problems problems={agent.problems} />
    </li>
  )
}

function Contracts({ agent }: { agent: Api.AgentSummary }) {
  return (
    <>
      {agent.has_parameters_schema ? (
        <Badge tone="info" title="Has an input schema">
          <LogIn aria-hidden /> input
        </Badge>
      ) : null}
      {agent.has_output_schema ? (
        <Badge tone="info" title="Has an output contract">
          <LogOut aria-hidden /> output
        </Badge>
      ) : null}
    </>
  )
}
