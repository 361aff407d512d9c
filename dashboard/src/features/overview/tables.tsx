import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Api } from '@/api'
import { Empty } from '@/components/states'
import { Card, CardHeader } from '@/components/ui'
import { cn } from '@/lib/cn'
import { count, dollars, duration, percent } from '@/lib/format'
import { plain } from '@/lib/inert'
import { COLUMNS, type ColumnName, type Sorting, sorted, sourcesOf } from './model'

const CELL = 'px-2 py-1.5 first:pl-4 last:pr-4 whitespace-nowrap'
const NUMBER = 'text-right tabular-nums whitespace-nowrap'

function Table({ label, head, children }: { label: string; head: string[]; children: ReactNode }) {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="w-full">
        <thead className="text-[0.93rem] text-muted">
          <tr className="border-b">
            {head.map((name, index) => (
              <th key={name} scope="col" className={cn(CELL, 'font-medium', index === 0 ? 'text-left' : 'text-right')}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">{children}</tbody>
      </table>
    </div>
  )
}

interface BreakdownProps {
  title: string
  /** The heading of the first column. */
  head: string
  rows: Api.StatsRow[]
  /** The name of a row, with a link to its runs if they can be filtered by it. */
  name: (row: Api.StatsRow) => ReactNode
}

/** A sortable table of statistics by agent, model or strategy. */
export function Breakdown({ title, head, rows, name }: BreakdownProps) {
  const [sorting, setSorting] = useState<Sorting>({ by: 'runs', reversed: false })
  const names = Object.keys(COLUMNS) as ColumnName[]
  return (
    <Card>
      <CardHeader title={title} />
      {rows.length === 0 ? <Empty title="No runs" /> : null}
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={title} hidden={rows.length === 0}>
        <table className="w-full">
          <thead className="text-[0.93rem] text-muted">
            <tr className="border-b">
              {names.map((by) => (
                <SortButton key={by} by={by} label={COLUMNS[by].label || head} sorting={sorting} onSort={setSorting} />
              ))}
            </tr>
          </thead>
          <tbody className="divide-y">
            {sorted(rows, sorting).map((row) => (
              <tr key={row.key} className="relative hover:bg-hover">
                <th scope="row" className={cn(CELL, 'max-w-44 truncate text-left font-medium')}>
                  {name(row)}
                </th>
                <td className={cn(CELL, NUMBER)}>{count(row.runs)}</td>
                <td className={cn(CELL, NUMBER)}>{percent(row.success_rate)}</td>
                <td className={cn(CELL, NUMBER)}>{percent(row.first_try_rate)}</td>
                <td className={cn(CELL, NUMBER, row.failed > 0 && 'text-danger')}>{count(row.failed)}</td>
                <td className={cn(CELL, NUMBER)}>{count(row.input_tokens + row.output_tokens)}</td>
                <td className={cn(CELL, NUMBER)}>{dollars(row.cost_usd)}</td>
                <td className={cn(CELL, NUMBER)}>{duration(row.latency_ms_p95)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

interface SortButtonProps {
  by: ColumnName
  label: string
  sorting: Sorting
  onSort: (sorting: Sorting) => void
}

function SortButton({ by, label, sorting, onSort }: SortButtonProps) {
  const chosen = sorting.by === by
  const Arrow = sorting.reversed !== (by === 'key') ? ArrowUp : ArrowDown
  return (
    <th scope="col" aria-sort={chosen ? (sorting.reversed !== (by === 'key') ? 'ascending' : 'descending') : undefined} className={cn(CELL, 'font-medium', by === 'key' ? 'text-left' : 'text-right')}>
      <button
        type="button"
        className="inline-flex items-center gap-1 rounded hover:text-ink"
        onClick={() => onSort({ by, reversed: chosen && !sorting.reversed })}
      >
        {label}
        {chosen ? <Arrow aria-hidden className="size-3.5" /> : null}
      </button>
    </th>
  )
}

/** Where in the answers accepted values were found. */
export function Sources({ counts }: { counts: Api.SourceCounts | undefined }) {
  const rows = sourcesOf(counts)
  return (
    <Card>
      <CardHeader title="Result sources" />
      {rows.length === 0 ? (
        <Empty title="No results under a contract" />
      ) : (
        <Table label="Result sources" head={['Source', 'Results', 'Share']}>
          {rows.map((row) => (
            <tr key={row.source}>
              <th scope="row" className={cn(CELL, 'text-left font-normal')}>
                {row.label}
              </th>
              <td className={cn(CELL, NUMBER)}>{count(row.results)}</td>
              <td className={cn(CELL, NUMBER)}>{percent(row.share)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}

export function CommonErrors({ errors }: { errors: Api.ErrorCount[] }) {
  return (
    <Card>
      <CardHeader title="Most frequent errors" />
      {errors.length === 0 ? (
        <Empty title="No answers failed validation" />
      ) : (
        <Table label="Most frequent errors" head={['Path', 'Keyword', 'Count']}>
          {errors.map((error) => (
            <tr key={`${error.path} ${error.keyword}`}>
              <th scope="row" className={cn(CELL, 'text-left font-normal whitespace-normal [overflow-wrap:anywhere]')}>
                <code>{plain(error.path)}</code>
              </th>
              <td className={cn(CELL, 'text-right')}>
                <code>{plain(error.keyword)}</code>
              </td>
              <td className={cn(CELL, NUMBER)}>{count(error.count)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
