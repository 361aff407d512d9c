import { useMemo } from 'react'
import type { Api } from '@/api'
import { JsonView } from '@/components/json-view'
import { Badge, Card, CardBody, CardHeader } from '@/components/ui'
import { follow, readJson } from '@/lib/json-text'

/** The input and the output contract of a run. */
export function InputView({ run, text }: { run: Api.RunView; text: string }) {
  const parts = useMemo(() => {
    const { node } = readJson(text)
    const part = (name: string) => {
      const found = node && follow(node, [name])
      return found && found.depth === 1 && found.node.kind !== 'null' ? text.slice(found.node.start, found.node.end) : null
    }
    return { parameters: part('parameters'), contract: part('contract') }
  }, [text])
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card>
        <CardHeader title="Input" />
        <CardBody>{parts.parameters ? <JsonView text={parts.parameters} /> : <span className="text-muted">None.</span>}</CardBody>
      </Card>
      <Card>
        <CardHeader
          title="Output contract"
          actions={run.contract_origin ? <Badge>set by: {run.contract_origin}</Badge> : null}
        />
        <CardBody>
          {parts.contract ? (
            <JsonView text={parts.contract} />
          ) : (
            <span className="text-muted">None: the answer is free text.</span>
          )}
        </CardBody>
      </Card>
    </div>
  )
}
