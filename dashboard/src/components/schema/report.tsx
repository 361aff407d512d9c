import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import { Badge } from '@/components/ui'
import { SCHEMA_PROFILE_LABELS } from '@/lib/catalog'
import { plural } from '@/lib/format'
import type { Lowering, SchemaReport } from './api'
import { type LossRow, generalFindings, lossRows } from './findings'

const SEVERITIES = {
  error: { icon: CircleAlert, className: 'text-danger', label: 'Error' },
  warning: { icon: TriangleAlert, className: 'text-warning', label: 'Warning' },
  info: { icon: Info, className: 'text-info', label: 'Note' },
}

/** A badge: whether the schema is valid, and the number of errors and warnings. */
export function Verdict({ report }: { report: SchemaReport }) {
  const found = generalFindings(report)
  const count = (severity: string) => found.filter((finding) => finding.severity === severity).length
  const [errors, warnings] = [count('error'), count('warning')]
  if (!report.valid) return <Badge tone="danger">Not a valid schema</Badge>
  if (errors > 0) return <Badge tone="danger">{plural(errors, 'error')}</Badge>
  if (warnings > 0) return <Badge tone="warning">Valid, {plural(warnings, 'warning')}</Badge>
  return (
    <Badge tone="success">
      <CircleCheck aria-hidden /> Valid schema
    </Badge>
  )
}

/** All findings, and what each provider enforces. */
export function Report({ report }: { report: SchemaReport }) {
  const found = generalFindings(report)
  return (
    <section aria-label="Schema report" className="flex min-w-0 flex-col gap-4 rounded-md border bg-surface p-4">
      <div className="flex flex-wrap items-center gap-2">
        <Verdict report={report} />
        {report.valid && found.length === 0 ? <span className="text-muted">No warnings.</span> : null}
      </div>
      {found.length > 0 ? (
        <ul className="flex flex-col gap-1.5">
          {found.map((finding, index) => {
            const { icon: Icon, className, label } = SEVERITIES[finding.severity]
            return (
              <li key={index} className="flex items-start gap-2">
                <Icon aria-label={label} className={`mt-0.5 size-4 shrink-0 ${className}`} />
                <span className="min-w-0 break-words">
                  <code className="text-muted">{finding.path}</code> {finding.message}
                </span>
              </li>
            )
          })}
        </ul>
      ) : null}
      {report.valid ? <Losses report={report} /> : null}
    </section>
  )
}

function Losses({ report }: { report: SchemaReport }) {
  const rows = lossRows(report)
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <h2 className="font-semibold">Where each rule is enforced</h2>
      <p className="text-muted">
        Accord validates every answer against the whole schema. Providers enforce part of it while the model writes; a mistake
        in the rest costs a retry.
      </p>
      <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Table of where each rule is enforced">
        <table className="w-full text-left">
          <thead>
            <tr className="border-b align-bottom text-muted">
              <th className="py-1.5 pr-4 font-medium">Path</th>
              <th className="py-1.5 pr-4 font-medium">Keyword</th>
              {report.lowering.map((lowering) => (
                <th key={lowering.profile} className="py-1.5 pr-4 font-medium">
                  {SCHEMA_PROFILE_LABELS[lowering.profile] ?? lowering.profile}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr className="border-b align-top">
              <th colSpan={2} scope="row" className="py-1.5 pr-4 font-normal">
                {rows.length === 0 ? 'Whole schema' : 'Everything else'}
              </th>
              {report.lowering.map((lowering) => (
                <td key={lowering.profile} className="py-1.5 pr-4">
                  <Whole lowering={lowering} />
                </td>
              ))}
            </tr>
            {rows.map((row) => (
              <Row key={`${row.pointer} ${row.keyword}`} row={row} lowering={report.lowering} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

function Whole({ lowering }: { lowering: Lowering }) {
  if (lowering.refusal === null) return <span className="text-success">by the provider</span>
  return (
    <span title={lowering.refusal} className="text-warning">
      not enforced by the provider: {lowering.refusal}
    </span>
  )
}

const HOW = { prompt: 'in the prompt, then validated', validator: 'validated only' }

function Row({ row, lowering }: { row: LossRow; lowering: Lowering[] }) {
  return (
    <tr className="border-b align-top last:border-0">
      <td className="py-1.5 pr-4">
        <code className="break-all">{row.pointer === '' ? '(root)' : row.pointer}</code>
      </td>
      <td className="py-1.5 pr-4">
        <code>{row.keyword}</code>
      </td>
      {lowering.map(({ profile, refusal }) => {
        const loss = row.by.get(profile)
        if (loss === undefined) {
          return (
            <td key={profile} className="py-1.5 pr-4">
              {refusal === null ? <span className="text-success">by the provider</span> : <span className="text-muted">validated only</span>}
            </td>
          )
        }
        return (
          <td key={profile} className="py-1.5 pr-4">
            {HOW[loss.how]}
            {loss.detail ? <span className="block text-muted">{loss.detail}</span> : null}
          </td>
        )
      })}
    </tr>
  )
}
