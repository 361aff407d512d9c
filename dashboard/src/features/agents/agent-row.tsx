import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, FileText, LogIn, LogOut, Play, TriangleAlert } from 'lucide-react'
import type { Api } from '@/api'
import { Badge, buttonStyle } from '@/components/ui'
import { plural } from '@/lib/format'
import { plain } from '@/lib/inert'

/** Whether an agent can be used, in a word. */
export function AgentVerdict({ agent }: { agent: { valid: boolean; problems: readonly Api.Problem[] } }) {
  if (!agent.valid) {
    const errors = agent.problems.filter((problem) => problem.severity === 'error').length
    return (
      <Badge tone="danger">
        <CircleX aria-hidden /> Broken{errors > 0 ? `: ${plural(errors, 'mistake')}` : ''}
      </Badge>
    )
  }
  if (agent.problems.length > 0) {
    return (
      <Badge tone="warning">
        <TriangleAlert aria-hidden /> {plural(agent.problems.length, 'warning')}
      </Badge>
    )
  }
  return (
    <Badge tone="success">
      <CircleCheck aria-hidden /> Valid
    </Badge>
  )
}

/** What is wrong, each with its place. */
export function Problems({ problems }: { problems: readonly Api.Problem[] }) {
  if (problems.length === 0) return null
  return (
    <ul className="flex flex-col gap-1.5 rounded-md bg-sunken px-3 py-2">
      {problems.map((problem, index) => (
        <li key={index} className="flex items-start gap-2">
          {problem.severity === 'error' ? (
            <CircleX aria-label="Error" className="mt-0.5 size-4 shrink-0 text-danger" />
          ) : (
            <TriangleAlert aria-label="Warning" className="mt-0.5 size-4 shrink-0 text-warning" />
          )}
          <span className="min-w-0 break-words">
            <code className="text-muted">{problem.path}</code> {plain(problem.message)}
            {problem.file ? (
              <code className="block text-muted">
                {problem.file}
                {problem.line ? `:${problem.line}` : ''}
                {problem.column ? `:${problem.column}` : ''}
              </code>
            ) : null}
          </span>
        </li>
      ))}
    </ul>
  )
}

export function AgentRow({ agent }: { agent: Api.AgentSummary }) {
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-64">
          <div className="flex flex-wrap items-center gap-2">
            <Link to="/agents/$name" params={{ name: agent.name }} className="font-semibold text-accent hover:underline">
              {agent.name}
            </Link>
            <AgentVerdict agent={agent} />
          </div>
          <p className="break-words text-muted">{plain(agent.description) || 'No description'}</p>
        </div>
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-muted">
          <span>
            {agent.executor_type || 'no executor'}
            {agent.model ? ` · ${agent.model}` : ''}
          </span>
          <Contracts agent={agent} />
          {agent.source === 'file' ? (
            <Badge title="It lives in a file of the agents' folder">
              <FileText aria-hidden /> file
            </Badge>
          ) : null}
          {agent.tags.map((tag) => (
            <Link key={tag} to="/agents" search={{ tags: tag }}>
              <Badge>{tag}</Badge>
            </Link>
          ))}
        </div>
        {agent.valid ? (
          <Link
            to="/agents/$name"
            params={{ name: agent.name }}
            search={{ tab: 'try' }}
            className={buttonStyle({ size: 'small' })}
            aria-label={`Try it: ${agent.name}`}
          >
            <Play aria-hidden /> Try it
          </Link>
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
        <Badge tone="info" title="It has an input contract of its own">
          <LogIn aria-hidden /> input
        </Badge>
      ) : null}
      {agent.has_output_schema ? (
        <Badge tone="info" title="It has an output contract">
          <LogOut aria-hidden /> output
        </Badge>
      ) : null}
    </>
  )
}
