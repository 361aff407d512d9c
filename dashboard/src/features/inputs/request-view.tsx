import { InertText } from '@/components/inert-text'
import { Card, CardBody, CardHeader } from '@/components/ui'
import { ValueCard } from '@/components/value-card'
import { plain } from '@/lib/inert'
import { write } from '@/lib/lossless'
import type { Request } from './model'

/** The message of a request, the tool call to approve and the input of the run. */
export function RequestView({ request }: { request: Request }) {
  const { view, input } = request
  return (
    <>
      <Card aria-labelledby="message">
        <CardHeader title="Request" id="message" />
        <CardBody className="flex flex-col gap-2">
          <InertText text={view.message} />
          {view.tool ? (
            <p>
              <span className="text-muted">Tool </span>
              <code className="font-medium">{plain(view.tool.name)}</code>
            </p>
          ) : null}
        </CardBody>
      </Card>
      {request.arguments === undefined ? null : <ValueCard title="Arguments" text={write(request.arguments)} className="max-h-[50vh]" />}
      {input === undefined || input === null ? null : <ValueCard title="Input of the run" text={write(input)} className="max-h-[50vh]" />}
    </>
  )
}
