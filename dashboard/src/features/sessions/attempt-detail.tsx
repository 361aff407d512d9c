import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Api } from '@/api'
import { DiffView } from '@/components/diff-view'
import { InertText } from '@/components/inert-text'
import { Badge, Card, CardBody, CardHeader, StatusBadge, Tab, TabList, TabPanel, Tabs } from '@/components/ui'
import { cn } from '@/lib/cn'
import { count, dollars, duration } from '@/lib/format'
import { plain } from '@/lib/inert'
import { locate } from '@/lib/json-text'

const route = getRouteApi('/sessions/$sessionId')

interface Props {
  attempt: Api.Attempt
  /** The attempt after it, to be compared with. */
  next?: Api.Attempt
}

export function AttemptDetail({ attempt, next }: Props) {
  const search = route.useSearch()
  const errors = attempt.errors ?? []
  const chosen = search.error === undefined ? undefined : errors[search.error]
  const lit = useMemo(() => (chosen ? locate(attempt.text, chosen.pointer) : null), [attempt.text, chosen])
  const [tab, setTab] = useState('output')
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-4">
      <Card>
        <CardHeader
          title={
            <span className="flex items-center gap-2">
              Attempt {attempt.number} <StatusBadge status={attempt.outcome} />
            </span>
          }
        />
        <CardBody className="flex flex-col gap-3">
          <Facts attempt={attempt} />
          <Errors errors={errors} more={attempt.more_errors ?? 0} onChoose={() => setTab('output')} />
          <Repairs repairs={attempt.repairs ?? []} />
        </CardBody>
      </Card>
      <Tabs value={tab} onValueChange={setTab}>
        <TabList aria-label="Parts of the attempt">
          <Tab value="output">What the model said</Tab>
          {next ? <Tab value="difference">Difference to attempt {next.number}</Tab> : null}
          {attempt.prompt ? <Tab value="prompt">What it was asked</Tab> : null}
        </TabList>
        <TabPanel value="output">
          {chosen && lit === null ? <p className="mb-2 text-muted">This place is not in the text.</p> : null}
          <div tabIndex={0} role="region" aria-label="Output" className="max-h-[70vh] overflow-auto rounded-md border bg-sunken p-3">
            {attempt.text === '' ? <span className="text-muted">Nothing.</span> : <InertText text={attempt.text} lit={lit} />}
          </div>
        </TabPanel>
        {next ? (
          <TabPanel value="difference">
            <DiffView before={attempt.text} after={next.text} />
          </TabPanel>
        ) : null}
        {attempt.prompt ? (
          <TabPanel value="prompt">
            <div tabIndex={0} role="region" aria-label="Prompt" className="max-h-[70vh] overflow-auto rounded-md border bg-sunken p-3">
              <InertText text={attempt.prompt} />
            </div>
          </TabPanel>
        ) : null}
      </Tabs>
    </div>
  )
}

function Facts({ attempt }: { attempt: Api.Attempt }) {
  const facts: [string, string][] = [
    ['Strategy', attempt.strategy],
    ['Model', attempt.model || '–'],
    ['Endpoint', attempt.endpoint || '–'],
    ['Tokens', `${count(attempt.usage?.input_tokens ?? 0)} in · ${count(attempt.usage?.output_tokens ?? 0)} out`],
    ['Cost', dollars(attempt.usage?.cost_usd)],
    ['Time', duration(attempt.duration_ms)],
  ]
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt className="text-[0.86rem] text-muted">{label}</dt>
          <dd className="[overflow-wrap:anywhere]">{plain(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

function Errors({ errors, more, onChoose }: { errors: Api.Error[]; more: number; onChoose: () => void }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  if (errors.length === 0) return null
  return (
    <div>
      <h3 className="font-medium">Errors</h3>
      <ul className="mt-1 flex flex-col gap-1">
        {errors.map((error, index) => {
          const chosen = search.error === index
          return (
            <li key={index}>
              <button
                type="button"
                aria-pressed={chosen}
                onClick={() => {
                  onChoose()
                  void navigate({ search: { ...search, error: chosen ? undefined : index }, replace: true })
                }}
                className={cn(
                  'w-full rounded-md border px-3 py-1.5 text-left [overflow-wrap:anywhere] hover:bg-hover',
                  chosen && 'border-danger bg-danger-soft hover:bg-danger-soft',
                )}
              >
                <code className="font-semibold text-danger">{plain(error.path)}</code>{' '}
                <span>{plain(error.message)}</span> <Badge>{plain(error.keyword)}</Badge>
              </button>
            </li>
          )
        })}
      </ul>
      {more > 0 ? <p className="mt-1 text-muted">and {more} more</p> : null}
    </div>
  )
}

function Repairs({ repairs }: { repairs: Api.Repair[] }) {
  if (repairs.length === 0) return null
  return (
    <div>
      <h3 className="font-medium">Repairs</h3>
      <ul className="mt-1 flex flex-col gap-1">
        {repairs.map((repair, index) => (
          <li key={index} className="[overflow-wrap:anywhere]">
            <Badge tone="warning">{plain(repair.kind)}</Badge> <code>{plain(repair.path)}</code> {plain(repair.detail)}
          </li>
        ))}
      </ul>
    </div>
  )
}
