import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Api, messageOf } from '@/api'
import { OnlyWho } from '@/components/read-only'
import { Answer } from '@/components/states'
import { Ago } from '@/components/time'
import { Badge, Button, Card, CardHeader, Confirm } from '@/components/ui'
import { plain } from '@/lib/inert'
import { endpointsQuery, useForgetEndpoint } from './api'
import { type Learned, learnedOf } from './model'

const TONES: Record<Api.Standing, 'success' | 'warning' | 'neutral'> = {
  works: 'success',
  barred: 'warning',
  unknown: 'neutral',
}

/** Which features each endpoint supports, as far as runs have found out. */
export function Endpoints() {
  const [forgetting, setForgetting] = useState<Learned | null>(null)
  return (
    <Card aria-labelledby="endpoints">
      <CardHeader title="What was learned about endpoints" id="endpoints" />
      <Answer query={useQuery(endpointsQuery())}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="px-4 py-3 text-muted">
              Nothing yet. Runs with an output schema report whether schemas and tools worked.
            </p>
          ) : (
            <ul className="divide-y">
              {learnedOf(items).map((learned) => (
                <Row key={`${learned.endpoint} ${learned.model}`} learned={learned} onForget={() => setForgetting(learned)} />
              ))}
            </ul>
          )
        }
      </Answer>
      <Forget target={forgetting} onClose={() => setForgetting(null)} />
    </Card>
  )
}

function Row({ learned, onForget }: { learned: Learned; onForget: () => void }) {
  const { endpoint, model, features, schemas, lastSeen } = learned
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
      <span className="min-w-32 font-medium [overflow-wrap:anywhere]">{plain(model)}</span>
      <code className="flex-1 text-muted [overflow-wrap:anywhere]">{plain(endpoint)}</code>
      {features.map(({ feature, standing, good, bad }) => (
        <span key={feature} title={`${good.toFixed(1)} successes, ${bad.toFixed(1)} failures; the weight of a run halves every day`}>
          <Badge tone={TONES[standing]}>
            {plain(feature)}: {standing}
          </Badge>
        </span>
      ))}
      {schemas > 0 && <Badge tone="neutral">{schemas} for single schemas</Badge>}
      <span className="text-muted">
        last seen <Ago at={lastSeen} />
      </span>
      <OnlyWho may="administers">
        <Button size="small" aria-label={`Forget what was learned about ${plain(model)} at ${plain(endpoint)}`} onClick={onForget}>
          Forget
        </Button>
      </OnlyWho>
    </li>
  )
}

function Forget({ target, onClose }: { target: Learned | null; onClose: () => void }) {
  const forget = useForgetEndpoint()
  return (
    <Confirm
      open={target !== null}
      onClose={onClose}
      title="Forget what was learned?"
      confirmLabel="Forget"
      busy={forget.isPending}
      error={forget.error ? messageOf(forget.error) : null}
      onConfirm={() =>
        target && forget.mutate({ endpoint: target.endpoint, model: target.model }, { onSuccess: onClose })
      }
    >
      The next runs with {plain(target?.model ?? '')} at {plain(target?.endpoint ?? '')} try every feature again.
    </Confirm>
  )
}
