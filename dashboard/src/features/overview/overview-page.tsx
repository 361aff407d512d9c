import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import type { Api } from '@/api'
import { Chart } from '@/components/chart'
import { AgentFilter, type Period, PeriodFilter, sinceOf } from '@/components/filters'
import { Page } from '@/components/page'
import { Answer, Empty } from '@/components/states'
import { useNow } from '@/components/time'
import { Card, CardBody, CardHeader } from '@/components/ui'
import { cn } from '@/lib/cn'
import { count, dollars, duration, percent } from '@/lib/format'
import { plain } from '@/lib/inert'
import { statsQuery } from './api'
import { Figures } from './figures'
import { LastFailures } from './last-failures'
import { costSeries, daysOf, hoursOf, latencySeries, rateSeries, runSeries, tokenSeries } from './model'
import { Operation } from './operation'
import { Breakdown, CommonErrors, Sources } from './tables'
import { Welcome } from './welcome'

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
  if (!filtered) return <Welcome />
  return (
    <Card>
      <Empty title="No runs finished in this period">Choose a longer period, or another agent.</Empty>
    </Card>
  )
}

interface ReportProps {
  stats: Api.Stats
  agent: string | undefined
  period: Period
}

function Report({ stats, agent, period }: ReportProps) {
  const now = useNow()
  const since = sinceOf(period, now)
  const byHour = since !== undefined && (stats.by_hour ?? []).length > 0
  const rows = byHour ? (stats.by_hour ?? []) : stats.by_day
  const times = byHour ? hoursOf(since, now) : daysOf(stats.by_day, new Date().toISOString().slice(0, 10), since)
  const unit = byHour ? 'hour' : 'day'
  return (
    <>
      <Figures row={stats.all} />
      <div className={cn('grid gap-4 lg:grid-cols-2', typeof stats.all.cost_usd === 'number' ? 'xl:grid-cols-3' : '2xl:grid-cols-4')}>
        <ChartCard title={`Rates by ${unit}`} kind="lines" top={1} times={times} series={rateSeries(rows, times)} format={percent} />
        <ChartCard title={`Runs by ${unit}`} kind="bars" times={times} series={runSeries(rows, times)} format={count} />
        <ChartCard title={`Latency by ${unit}`} kind="lines" times={times} series={latencySeries(rows, times)} format={duration} />
        <ChartCard title={`Tokens by ${unit}`} kind="bars" times={times} series={tokenSeries(rows, times)} format={count} />
        {typeof stats.all.cost_usd === 'number' ? (
          <ChartCard title={`Cost by ${unit}`} kind="bars" times={times} series={costSeries(rows, times)} format={dollars} />
        ) : null}
      </div>
      <div className="grid gap-4 2xl:grid-cols-2">
        <Breakdown title="By agent" head="Agent" rows={stats.by_agent} name={(row) => <RunsOf agent={row.key} period={period} />} />
        <Breakdown title="By model" head="Model" rows={stats.by_model} name={(row) => plain(row.key)} />
        <Breakdown title="By strategy" head="Strategy" rows={stats.by_strategy} name={(row) => (row.key === '' ? 'no contract' : plain(row.key))} />
        <Sources counts={stats.all.sources} />
        <CommonErrors errors={stats.errors} />
        <LastFailures agent={agent} period={period} />
      </div>
    </>
  )
}

function RunsOf({ agent, period }: { agent: string; period: Period }) {
  return (
    <Link to="/runs" search={{ agent, since: period === 'all' ? undefined : period }} className="text-accent after:absolute after:inset-0 hover:underline">
      {plain(agent)}
    </Link>
  )
}

function ChartCard({ title, ...chart }: { title: string } & Omit<ComponentProps<typeof Chart>, 'label'>) {
  return (
    <Card>
      <CardHeader title={title} />
      <CardBody>
        <Chart label={title} {...chart} />
      </CardBody>
    </Card>
  )
}
