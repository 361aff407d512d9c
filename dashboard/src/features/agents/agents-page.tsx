import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import type { Api } from '@/api'
import { Page } from '@/components/page'
import { OnlyWho } from '@/components/read-only'
import { Answer, Empty } from '@/components/states'
import { Button, Card, Input, buttonStyle } from '@/components/ui'
import { plain } from '@/lib/inert'
import { AgentRow } from './agent-row'
import { agentsQuery } from './api'

const route = getRouteApi('/agents')

export function AgentsPage() {
  const { tags, find: initialText = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const [searchText, setSearchText] = useState(initialText)
  // Also in the URL, so that it survives a reload and the back button. The URL updates later than the text field.
  const find = (text: string) => {
    setSearchText(text)
    void navigate({ search: { tags, find: text || undefined }, replace: true })
  }
  return (
    <Page
      title="Agents"
      actions={
        <>
          <Input
            type="search"
            aria-label="Find agents"
            placeholder="Find by name or description"
            className="w-72"
            value={searchText}
            onChange={(event) => find(event.target.value)}
          />
          <OnlyWho may="administers">
            <Link to="/agents/new" className={buttonStyle({ variant: 'primary' })}>
              <Plus aria-hidden /> New agent
            </Link>
          </OnlyWho>
        </>
      }
    >
      {tags === undefined ? null : <Tags tags={tags} />}
      <Card>
        <Answer query={useQuery(agentsQuery(tags))}>
          {({ items }) => <List agents={items.filter((agent) => matches(agent, searchText))} filtered={tags !== undefined || searchText !== ''} />}
        </Answer>
      </Card>
    </Page>
  )
}

function matches(agent: Api.AgentSummary, searchText: string): boolean {
  const text = `${agent.name} ${agent.description} ${agent.model ?? ''}`.toLowerCase()
  return searchText.toLowerCase().split(/\s+/).every((word) => text.includes(word))
}

function Tags({ tags }: { tags: string }) {
  const navigate = route.useNavigate()
  return (
    <div className="flex items-center gap-2">
      <span className="shrink-0 text-muted">Filtered by tag</span>
      <Button size="small" className="min-w-0 shrink" onClick={() => void navigate({ search: ({ find }) => ({ find }) })} aria-label={`Tags ${tags}: show all agents`}>
        <span className="truncate">{plain(tags)}</span> <X aria-hidden />
      </Button>
    </div>
  )
}

function List({ agents, filtered }: { agents: Api.AgentSummary[]; filtered: boolean }) {
  if (agents.length === 0 && filtered) return <Empty title="No agents match" />
  if (agents.length === 0) {
    return (
      <Empty
        title="No agents yet"
        command="accord init"
        action={
          <OnlyWho may="administers">
            <Link to="/agents/new" className={buttonStyle({ variant: 'primary' })}>
              Create an agent
            </Link>
          </OnlyWho>
        }
      >
        Add example agents, schemas and recorded answers:
      </Empty>
    )
  }
  return (
    <ul className="divide-y">
      {agents.map((agent) => (
        <AgentRow key={agent.name} agent={agent} />
      ))}
    </ul>
  )
}
