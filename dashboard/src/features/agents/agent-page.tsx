import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { isGone } from '@/api'
import { Problems, Verdict } from '@/components/editing'
import { Page } from '@/components/page'
import { Answer } from '@/components/states'
import { Card, CardBody } from '@/components/ui'
import { isMap } from '@/lib/lossless'
import { type Agent, agentQuery } from './api'
import { AgentEditor } from './editor'
import { newBlueprint } from './model'

const route = getRouteApi('/agents/$name')

export function NewAgentPage() {
  const [initial] = useState(newBlueprint)
  return <AgentEditor agent={null} gone={false} initial={initial} />
}

export function AgentPage() {
  const { name } = route.useParams()
  const query = useQuery(agentQuery(name))
  return query.data === undefined ? (
    <Page title={name}>
      <Answer query={query}>{() => null}</Answer>
    </Page>
  ) : (
    <Loaded key={name} agent={query.data} gone={isGone(query.error)} />
  )
}

function Loaded({ agent, gone }: { agent: Agent; gone: boolean }) {
  const [initial, setInitial] = useState(isMap(agent.blueprint) ? agent.blueprint : null)
  // Once the blueprint could be read, the editor stays open even if the file breaks later, to keep typed text.
  if (initial === null && isMap(agent.blueprint)) setInitial(agent.blueprint)
  if (initial !== null) return <AgentEditor agent={agent} gone={gone} initial={initial} />
  const { summary, file } = agent.view
  return (
    <Page title={summary.name} heading={<>{summary.name} <Verdict of={summary} /></>} lead={file}>
      <Card>
        <CardBody className="flex flex-col gap-3">
          <p>This agent's file cannot be parsed. Fix the file; this page updates automatically.</p>
          <Problems problems={summary.problems} />
        </CardBody>
      </Card>
    </Page>
  )
}
