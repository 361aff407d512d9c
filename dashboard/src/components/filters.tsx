import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
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

/** Offers all agents, and the selected one even if it no longer exists. */
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

const PERIODS = Object.keys(PERIOD_LABELS) as Period[]

interface PeriodProps {
  value: Period
  onChange: (value: Period) => void
}

export function PeriodFilter({ value, onChange }: PeriodProps) {
  return (
    <Select
      aria-label="Period"
      className="w-40"
      value={value}
      onChange={(event) => onChange(PERIODS.find((period) => period === event.target.value) ?? 'all')}
    >
      {PERIODS.map((period) => (
        <option key={period} value={period}>
          {PERIOD_LABELS[period]}
        </option>
      ))}
    </Select>
  )
}

const HOURS: Record<Period, number | null> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24, all: null }

/**
 * When a period began, rounded to the hour so that the query key stays the same and the cache is used.
 */
export function sinceOf(period: Period, now: number): string | undefined {
  const hours = HOURS[period]
  if (hours === null) return undefined
  const hour = 3_600_000
  return new Date(Math.floor(now / hour) * hour - hours * hour).toISOString()
}

/** The search starts after this pause in typing. */
const TYPING_MS = 250

/** The longest search text that the server accepts. */
const MAX_SEARCH_LENGTH = 200

export function SearchFilter({ value, onChange }: Choice<string>) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  // The latest callback, because the old one would reset a filter that was changed during the delay.
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  return (
    <Input
      type="search"
      aria-label="Search"
      placeholder="Search input, name or id"
      maxLength={MAX_SEARCH_LENGTH}
      className="w-64"
      defaultValue={value ?? ''}
      onChange={(event) => {
        const text = event.target.value.trim()
        clearTimeout(timer.current)
        timer.current = setTimeout(() => latest.current(text || undefined), TYPING_MS)
      }}
    />
  )
}

/** A time range: since a period or a time, until a time. */
export interface Range {
  since?: string
  until?: string
}

/** The period that a range stands for; null for a custom range. */
export function periodOf({ since, until }: Range): Period | null {
  if (until !== undefined) return null
  if (since === undefined) return 'all'
  return PERIODS.find((period) => period === since) ?? null
}

/** Converts a range to the times that the API expects. */
export function timesOf({ since, until }: Range, now: number): Range {
  const period = PERIODS.find((known) => known === since)
  return { since: period === undefined ? since : sinceOf(period, now), until }
}

/** Selects a period or a custom time range. */
export function RangeFilter({ value, onChange }: { value: Range; onChange: (range: Range) => void }) {
  const period = periodOf(value)
  const choose = (text: string) => (text === 'custom' ? onChange({ since: startOfDay(), until: undefined }) : onChange({ since: text === 'all' ? undefined : text, until: undefined }))
  return (
    <>
      <Select aria-label="Period" className="w-40" value={period ?? 'custom'} onChange={(event) => choose(event.target.value)}>
        {PERIODS.map((known) => (
          <option key={known} value={known}>
            {PERIOD_LABELS[known]}
          </option>
        ))}
        <option value="custom">Custom range</option>
      </Select>
      {period === null ? (
        <>
          <TimeInput label="From" value={value.since} onChange={(since) => onChange({ ...value, since })} />
          <TimeInput label="To" value={value.until} onChange={(until) => onChange({ ...value, until })} />
        </>
      ) : null}
    </>
  )
}

function startOfDay(): string {
  return new Date(new Date().setHours(0, 0, 0, 0)).toISOString()
}

function TimeInput({ label, value, onChange }: Choice<string> & { label: string }) {
  return (
    <Input
      type="datetime-local"
      aria-label={label}
      className="w-48"
      value={localOf(value)}
      onChange={(event) => {
        const at = new Date(event.target.value)
        onChange(Number.isNaN(at.getTime()) ? undefined : at.toISOString())
      }}
    />
  )
}

/** The value of a `datetime-local` input: local time, to the minute. */
export function localOf(time: string | undefined): string {
  const at = new Date(time ?? '')
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
