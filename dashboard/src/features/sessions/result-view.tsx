import { useMemo } from 'react'
import type { Api } from '@/api'
import { InertText } from '@/components/inert-text'
import { Empty } from '@/components/states'
import { Badge, Card, CardBody, CardHeader } from '@/components/ui'
import { ValueCard } from '@/components/value-card'
import { plural } from '@/lib/format'
import { plain } from '@/lib/inert'
import { isByPerson } from '@/lib/run-facts'
import { isUnfinished } from '@/lib/status'
import { resultTextOf } from './model'

/** The result as a tree or as text, or why there is none. */
export function ResultView({ run, text }: { run: Api.RunView; text: string }) {
  const result = useMemo(() => resultTextOf(text), [text])
  if (result === null) return <Missing run={run} />
  const validation = run.result?.schema_validation
  return (
    <ValueCard
      title={result.json ? 'Result data' : 'Result text'}
      text={result.text}
      json={result.json}
      note={validation ? <ValidationNote validation={validation} /> : null}
    />
  )
}

/** How the result was validated. */
function ValidationNote({ validation }: { validation: Api.Validation }) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2 text-muted">
      <Badge tone="success">Output Schema: Valid</Badge>
      {plural(validation.attempts, 'attempt')} · strategy {validation.strategy}
      {isByPerson(validation.source) ? <Badge tone="info">by a person</Badge> : validation.source ? <> · source {validation.source}</> : null}
      {validation.schema_name ? <> · schema {validation.schema_name}</> : null}
      {validation.repairs.map((repair, index) => (
        <Badge key={index} tone="warning" title={plain(repair.detail)}>
          repaired: {plain(repair.kind)}
        </Badge>
      ))}
    </div>
  )
}

function Missing({ run }: { run: Api.RunView }) {
  if (isUnfinished(run.status)) return <Empty title="No result yet">The result appears here when the run finishes.</Empty>
  const last = run.error?.last_output
  return (
    <div className="flex flex-col gap-4">
      <Empty title="No result">
        {run.error ? plain(run.error.message) : 'The run was stopped.'}
      </Empty>
      {last ? (
        <Card>
          <CardHeader title="Last answer (rejected)" />
          <CardBody>
            <InertText text={last} />
          </CardBody>
        </Card>
      ) : null}
    </div>
  )
}
