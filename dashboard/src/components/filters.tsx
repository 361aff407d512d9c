import { useQuery } from '@tanstack/react-query'
import { agentsQuery } from '@/api/queries'
import { appearanceOf } from '@/lib/status'
import { Input, Select } from './ui'

interface Choice<T extends string> {
  value: T | undefined
  onChange: (value: T | undefined) => void
}

export function StatusFilter<T extends string>({ value, onChange, statuses }: Choice<T> & { statuses: readonly T[] }) {
  return (
    <Select
      aria-label="Status"
      className="w-40"
      value={value ?? ''}
      onChange={(event) => onChange(statuses.find((status) => status === event.target.value))}
    >
      <option value="">Any status</option>
      {statuses.map((status) => (
        <option key={status} value={status}>
          {appearanceOf(status).label}
        </option>
      ))}
    </Select>
  )
}

/** Offers the agents that there are; one that the address names and that is gone can still be seen. */
export function AgentFilter({ value, onChange }: Choice<string>) {
  const agents = useQuery(agentsQuery())
  const names = agents.data?.items.map((agent) => agent.name) ?? []
  if (value !== undefined && !names.includes(value)) names.push(value)
  return (
    <Select
      aria-label="Agent"
      className="w-48"
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">Any agent</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </Select>
  )
}

const PERIOD_LABELS = { '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days', all: 'All time' }
export type Period = keyof typeof PERIOD_LABELS

interface PeriodProps {
  value: Period
  onChange: (value: Period) => void
}

export function PeriodFilter({ value, onChange }: PeriodProps) {
  const periods = Object.keys(PERIOD_LABELS) as Period[]
  return (
    <Select
      aria-label="Period"
      className="w-40"
      value={value}
      onChange={(event) => onChange(periods.find((period) => period === event.target.value) ?? 'all')}
    >
      {periods.map((period) => (
        <option key={period} value={period}>
          {PERIOD_LABELS[period]}
        </option>
      ))}
    </Select>
  )
}

const HOURS: Record<Period, number | null> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24, all: null }

/**
 * When a period began. To the hour, so that the same question has the same key for a while and is answered from memory.
 */
export function sinceOf(period: Period, now: number): string | undefined {
  const hours = HOURS[period]
  if (hours === null) return undefined
  const hour = 3_600_000
  return new Date(Math.floor(now / hour) * hour - hours * hour).toISOString()
}

/** Searches the rows that are loaded: the server has no search. */
export function SearchFilter({ value, onChange }: Choice<string>) {
  return (
    <Input
      type="search"
      aria-label="Search"
      placeholder="Search input, error or id"
      title="Searches the rows that are loaded"
      className="w-64"
      defaultValue={value ?? ''}
      onChange={(event) => onChange(event.target.value || undefined)}
    />
  )
}
