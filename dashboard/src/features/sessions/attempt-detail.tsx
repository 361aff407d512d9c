import { getRouteApi } from '@tanstack/react-router'
import { Highlighter } from 'lucide-react'
import { useMemo } from 'react'
import type { Api } from '@/api'
import { CopyButton } from '@/components/command'
import { DiffView } from '@/components/diff-view'
import { InertText } from '@/components/inert-text'
import { Badge, Card, CardBody, CardHeader, StatusBadge } from '@/components/ui'
import { cn } from '@/lib/cn'
import { count, dollars, duration } from '@/lib/format'
import { plain } from '@/lib/inert'
import { locate } from '@/lib/json-text'

const route = getRouteApi('/sessions/$sessionId')

interface Props {
  attempt: Api.Attempt
  /** The previous attempt, for comparison. */
  previous?: Api.Attempt
}

export function AttemptDetail({ attempt, previous }: Props) {
  const search = route.useSearch()
  const errors = attempt.errors ?? []
  const chosen = search.error === undefined ? undefined : errors[search.error]
  const lit = useMemo(() => (chosen ? locate(attempt.text, chosen.pointer) : null), [attempt.text, chosen])
  const marks = useMemo(() => marksOf(attempt), [attempt])
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
          <Errors errors={errors} more={attempt.more_errors ?? 0} />
          <Repairs repairs={attempt.repairs ?? []} />
        </CardBody>
      </Card>
      {previous ? (
        <Card aria-labelledby="attempt-changes">
          <CardHeader title={`Changes from attempt ${previous.number}`} id="attempt-changes" />
          <CardBody>
            <DiffView before={previous.text} after={attempt.text} />
          </CardBody>
        </Card>
      ) : null}
      <Card aria-labelledby="attempt-output">
        <CardHeader title="Model output" id="attempt-output" actions={<CopyButton text={attempt.text} label="Copy the output" />} />
        {chosen && lit === null ? <p className="border-b px-4 py-2 text-muted">This path is not in the output.</p> : null}
        <CardBody tabIndex={0} role="region" aria-label="Output" className="max-h-[70vh] overflow-auto">
          {attempt.text === '' ? <span className="text-muted">Empty.</span> : <InertText text={attempt.text} lit={lit} marks={marks} />}
        </CardBody>
      </Card>
      <SentPrompt attempt={attempt} />
    </div>
  )
}

/** What was sent to the model. Attempts of older versions and of third-party runners only have the retry prompt. */
function SentPrompt({ attempt: { sent, prompt } }: { attempt: Api.Attempt }) {
  const parts: [string, string][] = sent
    ? [
        ['System prompt', sent.system_prompt ?? ''],
        ...(sent.examples ?? []).flatMap((example, index): [string, string][] => [
          [`Example ${index + 1}: user`, example.prompt],
          [`Example ${index + 1}: assistant`, example.answer],
        ]),
        ['Prompt', sent.prompt],
      ]
    : [['Prompt', prompt ?? '']]
  const shown = parts.filter(([, text]) => text !== '')
  if (shown.length === 0) return null
  return (
    <Card>
      <details>
        <summary className="px-4 py-2 font-semibold">Prompt sent for this attempt</summary>
        {shown.map(([label, text]) => (
          <CardBody key={label} tabIndex={0} role="region" aria-label={label} className="max-h-[70vh] overflow-auto border-t">
            <h3 className="mb-1 font-medium text-muted">{label}</h3>
            <InertText text={text} />
          </CardBody>
        ))}
      </details>
    </Card>
  )
}

/** The spans of an attempt's errors in its text. Errors about the whole answer have none. */
function marksOf({ errors = [], text }: Api.Attempt) {
  return errors.flatMap(({ pointer }) => {
    const span = pointer === '' ? null : locate(text, pointer)
    return span === null ? [] : [span]
  })
}

function Facts({ attempt }: { attempt: Api.Attempt }) {
  const facts: [string, string][] = [
    ['Strategy', attempt.strategy],
    ['Source', attempt.source ?? '–'],
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

function Errors({ errors, more }: { errors: Api.Error[]; more: number }) {
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
                title="Highlight only this error in the output"
                onClick={() => void navigate({ search: { ...search, error: chosen ? undefined : index }, replace: true, resetScroll: false })}
                className={cn(
                  'flex w-full items-start gap-2 rounded-md border px-3 py-1.5 text-left hover:bg-hover',
                  chosen && 'border-danger bg-danger-soft hover:bg-danger-soft',
                )}
              >
                <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                  <code className="font-semibold text-danger">{plain(error.path)}</code> {plain(error.message)} <Badge>{plain(error.keyword)}</Badge>
                </span>
                <Highlighter aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
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
