import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Api } from '@/api'
import { agentsQuery } from '@/api/queries'
import { Page } from '@/components/page'
import { Answer, Empty } from '@/components/states'
import { TryRun } from '@/components/try-run'
import { Card, CardBody, Field, Select } from '@/components/ui'
import { plain } from '@/lib/inert'

const route = getRouteApi('/runs/new')

/** Starts a run of any agent. */
export function NewRunPage() {
  const { agent } = route.useSearch()
  const navigate = route.useNavigate()
  const chosen = (agents: Api.AgentSummary[]) => agents.find(({ name }) => name === agent)
  return (
    <Page title="New run">
      <Answer query={useQuery(agentsQuery())}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No agents yet" command="accord init" />
          ) : (
            <>
              <Card>
                <CardBody>
                  <Field label="Agent" hint={plain(chosen(items)?.description ?? '')} className="max-w-xl">
                    {(ids) => (
                      <Select
                        {...ids}
                        value={agent ?? ''}
                        onChange={(event) => void navigate({ search: { agent: event.target.value || undefined }, replace: true })}
                      >
                        <option value="">Choose an agent</option>
                        {items.map(({ name, valid }) => (
                          <option key={name} value={name} disabled={!valid}>
                            {valid ? name : `${name} (invalid)`}
                          </option>
                        ))}
                      </Select>
                    )}
                  </Field>
                </CardBody>
              </Card>
              {agent === undefined ? null : <TryRun key={agent} agentName={agent} executor={chosen(items)?.executor_type ?? ''} />}
            </>
          )
        }
      </Answer>
    </Page>
  )
}
