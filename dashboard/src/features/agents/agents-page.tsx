import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { Page } from '@/components/page'
import { Answer, Empty } from '@/components/states'
import { Card } from '@/components/ui'
import { agentsQuery } from './api'

const route = getRouteApi('/agents')

export function AgentsPage() {
  const { tags } = route.useSearch()
  return (
    <Page title="Agents">
      <Card>
        <Answer query={useQuery(agentsQuery(tags))}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="There are no agents yet" command="accord init">
                Example agents, schemas and recorded answers to begin with:
              </Empty>
            ) : (
              <ul className="divide-y">
                {items.map((agent) => (
                  <li key={agent.name} className="px-4 py-2">
                    <Link to="/agents/$name" params={{ name: agent.name }} className="font-medium text-accent">
                      {agent.name}
                    </Link>
                    <p className="text-muted">{agent.description}</p>
                  </li>
                ))}
              </ul>
            )
          }
        </Answer>
      </Card>
    </Page>
  )
}
