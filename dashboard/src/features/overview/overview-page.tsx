import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Api } from '@/api'
import { Chart } from '@/components/chart'
import { AgentFilter, type Period, PeriodFilter, sinceOf } from '@/components/filters'
import { Page } from '@/components/page'
import { Answer, Empty } from '@/components/states'
import { useNow } from '@/components/time'
import { Card, CardBody, CardHeader } from '@/components/ui'
import { count, percent } from '@/lib/format'
import { statsQuery } from './api'
import { Figures } from './figures'
import { LastFailures } from './last-failures'
import { daysOf, rateSeries, runSeries, tokenSeries } from './model'
import { Operation } from './operation'
import { Breakdown, CommonErrors } from './tables'

const route = getRouteApi('/')

export function OverviewPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const period = search.since ?? 'all'
  const stats = useQuery(statsQuery({ since: sinceOf(period, useNow()), agent_name: search.agent }))
  return (
    <Page
      title="Overview"
      actions={
        <>
          <AgentFilter value={search.agent} onChange={(agent) => void navigate({ search: { ...search, agent } })} />
          <PeriodFilter
            value={period}
            onChange={(since) => void navigate({ search: { ...search, since: since === 'all' ? undefined : since } })}
          />
        </>
      }
    >
      <Operation />
      <Answer query={stats}>
        {(figures) => (figures.all.runs === 0 ? <NoRuns filtered={period !== 'all' || Boolean(search.agent)} /> : <Report stats={figures} agent={search.agent} period={period} />)}
      </Answer>
    </Page>
  )
}

function NoRuns({ filtered }: { filtered: boolean }) {
  return (
    <Card>
      {filtered ? (
        <Empty title="No run has ended in this period">Choose a longer one, or another agent.</Empty>
      ) : (
        <Empty title="No run has ended yet" command="accord run ticket-triage --params .accord/inputs/ticket.json">
          Figures begin with the first run. <code>accord init</code> brings example agents that answer from recordings:
        </Empty>
      )}
    </Card>
  )
}

interface ReportProps {
  stats: Api.Stats
  agent: string | undefined
  period: Period
}

function Report({ stats, agent, period }: ReportProps) {
  const days = daysOf(stats.by_day, new Date().toISOString().slice(0, 10))
  return (
    <>
      <Figures row={stats.all} />
      <div className="grid gap-4 xl:grid-cols-3">
        <Card>
          <CardHeader title="Rates by day" />
          <CardBody>
            <Chart label="Rates by day" kind="lines" top={1} days={days} series={rateSeries(stats.by_day, days)} format={percent} />
          </CardBody>
        </Card>
        <Card>
          <CardHeader title="Runs by day" />
          <CardBody>
            <Chart label="Runs by day" kind="bars" days={days} series={runSeries(stats.by_day, days)} format={count} />
          </CardBody>
        </Card>
        <Card>
          <CardHeader title="Tokens by day" />
          <CardBody>
            <Chart label="Tokens by day" kind="bars" days={days} series={tokenSeries(stats.by_day, days)} format={count} />
          </CardBody>
        </Card>
      </div>
      <div className="grid gap-4 xl:grid-cols-2">
        <Breakdown title="By agent" head="Agent" rows={stats.by_agent} />
        <Breakdown title="By model" head="Model" rows={stats.by_model} />
        <LastFailures agent={agent} period={period} />
        <CommonErrors errors={stats.errors} />
      </div>
    </>
  )
}
