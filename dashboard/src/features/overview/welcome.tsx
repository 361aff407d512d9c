import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Api } from '@/api'
import { agentsQuery, contractQuery } from '@/api/queries'
import { Command } from '@/components/command'
import { OnlyWho } from '@/components/read-only'
import { samplesOf } from '@/components/try-run/samples'
import { Card, CardBody, buttonStyle } from '@/components/ui'
import { fromPlain } from '@/lib/lossless'
import { firstToTry } from './model'

/** The number of agents that are searched for an example input. */
const MAX_SEARCHED = 12

/** Shown instead of statistics before the first run: what Accord is, and how to start. */
export function Welcome() {
  const agents = useQuery(agentsQuery())
  return (
    <Card aria-labelledby="welcome">
      <CardBody className="flex flex-col gap-5 lg:p-6">
        <div className="max-w-3xl">
          <h2 id="welcome" className="text-[1.2rem] font-semibold">
            Agents that keep their output contract
          </h2>
          <p className="mt-1 text-muted">
            Accord runs agents whose answers must match a JSON Schema. An answer that does not match goes back to the model
            with its errors. A run ends with valid data, or it fails with an explanation.
          </p>
        </div>
        <ol className="grid gap-4 lg:grid-cols-3">
          <Step number={1} title="Get an agent">
            {agents.data && agents.data.items.length > 0 ? (
              <p>
                {agents.data.items.length === 1 ? '1 agent is' : `${agents.data.items.length} agents are`} loaded.{' '}
                <Link to="/agents" className="text-accent underline">
                  See agents
                </Link>
              </p>
            ) : (
              <>
                <p>
                  <code>accord init</code> adds example agents that answer from recordings, so they need no API key. Or{' '}
                  <Link to="/agents/new" className="text-accent underline">
                    create one here
                  </Link>
                  .
                </p>
                <Command text="accord init" />
              </>
            )}
          </Step>
          <Step number={2} title="Run it">
            {agents.data && agents.data.items.length > 0 ? <FirstRun agents={agents.data.items} /> : <p>Each agent has a form generated from its input schema.</p>}
            <p>Or from the command line:</p>
            <Command text="accord run ticket-triage --params .accord/inputs/ticket.json" />
          </Step>
          <Step number={3} title="See what happened">
            <p>
              Every run keeps its attempts: what the model was sent, what it answered, which errors it got back.{' '}
              <Link to="/sessions" className="text-accent underline">
                Sessions
              </Link>{' '}
              list them as they happen. Success rates, tokens and cost appear on this page.
            </p>
          </Step>
        </ol>
      </CardBody>
    </Card>
  )
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex min-w-0 gap-3 rounded-md border p-4">
      <span aria-hidden className="grid size-6 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-accent">
        {number}
      </span>
      <div className="flex min-w-0 flex-1 flex-col items-start gap-2">
        <h3 className="font-semibold">{title}</h3>
        {children}
      </div>
    </li>
  )
}

/** A link to run a suggested agent, with its example filled in if it has one. */
function FirstRun({ agents }: { agents: Api.AgentSummary[] }) {
  const contracts = useQueries({ queries: agents.filter(({ valid }) => valid).slice(0, MAX_SEARCHED).map(({ name }) => contractQuery(name)) })
  const examples = contracts.flatMap(({ data }) => (data && samplesOf(fromPlain(data.parameters_schema)).length > 0 ? [data.agent_name] : []))
  const first = firstToTry(agents, examples)
  if (first === null) return <p>No agent is valid yet.</p>
  return (
    <OnlyWho may="calls">
      <Link to="/runs/new" search={{ agent: first.agent, sample: first.example || undefined }} className={buttonStyle({ variant: 'primary' })}>
        <Play aria-hidden /> {first.example ? 'Run the example' : `Run ${first.agent}`}
      </Link>
    </OnlyWho>
  )
}
