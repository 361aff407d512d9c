import type { ReactNode } from 'react'
import type { Api } from '@/api'
import { Empty } from '@/components/states'
import { Card, CardHeader } from '@/components/ui'
import { cn } from '@/lib/cn'
import { count, dollars, percent } from '@/lib/format'
import { plain } from '@/lib/inert'

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

export function Breakdown({ title, head, rows }: { title: string; head: string; rows: Api.StatsRow[] }) {
  return (
    <Card>
      <CardHeader title={title} />
      <Table label={title} head={[head, 'Runs', 'Success', 'First try', 'Failed', 'Tokens', 'Cost']}>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row" className={cn(CELL, 'max-w-44 truncate text-left font-medium')}>
              {row.key === '' ? 'none' : plain(row.key)}
            </th>
            <td className={cn(CELL, NUMBER)}>{count(row.runs)}</td>
            <td className={cn(CELL, NUMBER)}>{percent(row.success_rate)}</td>
            <td className={cn(CELL, NUMBER)}>{percent(row.first_try_rate)}</td>
            <td className={cn(CELL, NUMBER, row.failed > 0 && 'text-danger')}>{count(row.failed)}</td>
            <td className={cn(CELL, NUMBER)}>{count(row.input_tokens + row.output_tokens)}</td>
            <td className={cn(CELL, NUMBER)}>{dollars(row.cost_usd)}</td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}

export function CommonErrors({ errors }: { errors: Api.ErrorCount[] }) {
  return (
    <Card>
      <CardHeader title="What breaks most" />
      {errors.length === 0 ? (
        <Empty title="No answer has broken its contract" />
      ) : (
        <Table label="What breaks most" head={['Place', 'Keyword', 'Times']}>
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
