import { useMemo, useState } from 'react'
import type { Api } from '@/api'
import { CopyButton } from '@/components/command'
import { InertText } from '@/components/inert-text'
import { JsonView } from '@/components/json-view'
import { Empty } from '@/components/states'
import { Badge, Button, Card, CardBody, CardHeader } from '@/components/ui'
import { plural } from '@/lib/format'
import { plain } from '@/lib/inert'
import { pretty } from '@/lib/json-text'
import { isUnderWay } from '@/lib/status'
import { resultTextOf } from './model'

/** The result, as a tree and as text; or what there is in its place. */
export function ResultView({ run, text }: { run: Api.RunView; text: string }) {
  const result = useMemo(() => resultTextOf(text), [text])
  const [asTree, setAsTree] = useState(true)
  if (result === null) return <Missing run={run} />
  const shown = result.json ? pretty(result.text) : result.text
  const validation = run.result?.schema_validation
  return (
    <Card>
      <CardHeader
        title={result.json ? 'Result data' : 'Result text'}
        actions={
          <div className="flex items-center gap-1">
            {result.json ? (
              <div role="group" aria-label="Shown as" className="flex gap-1">
                <Button size="small" variant={asTree ? 'primary' : 'ghost'} aria-pressed={asTree} onClick={() => setAsTree(true)}>
                  Tree
                </Button>
                <Button size="small" variant={asTree ? 'ghost' : 'primary'} aria-pressed={!asTree} onClick={() => setAsTree(false)}>
                  Text
                </Button>
              </div>
            ) : null}
            <CopyButton text={shown} label="Copy the result" />
          </div>
        }
      />
      {validation ? (
        <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2 text-muted">
          <Badge tone="success">Output Schema: Valid</Badge>
          {plural(validation.attempts, 'attempt')} · strategy {validation.strategy}
          {validation.schema_name ? <> · schema {validation.schema_name}</> : null}
          {validation.repairs.map((repair, index) => (
            <Badge key={index} tone="warning" title={plain(repair.detail)}>
              repaired: {plain(repair.kind)}
            </Badge>
          ))}
        </div>
      ) : null}
      <CardBody tabIndex={0} role="region" aria-label="Result" className="max-h-[70vh] overflow-auto">
        {result.json && asTree ? <JsonView text={result.text} /> : <InertText text={shown} />}
      </CardBody>
    </Card>
  )
}

function Missing({ run }: { run: Api.RunView }) {
  if (isUnderWay(run.status)) return <Empty title="There is no result yet">It appears here when the run ends.</Empty>
  const last = run.error?.last_output
  return (
    <div className="flex flex-col gap-4">
      <Empty title="This run has no result">
        {run.error ? plain(run.error.message) : 'It was stopped.'}
      </Empty>
      {last ? (
        <Card>
          <CardHeader title="The last answer, which is not a result" />
          <CardBody>
            <InertText text={last} />
          </CardBody>
        </Card>
      ) : null}
    </div>
  )
}
