import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ExternalLink, Square } from 'lucide-react'
import { useMemo } from 'react'
import type { Api } from '@/api'
import { CopyButton } from '@/components/command'
import { InertText } from '@/components/inert-text'
import { JsonView } from '@/components/json-view'
import { LiveOutput } from '@/components/live-output'
import { Answer } from '@/components/states'
import { Elapsed } from '@/components/time'
import { Button, Card, CardBody, CardHeader, StatusBadge, buttonStyle } from '@/components/ui'
import { count, dollars } from '@/lib/format'
import { plain } from '@/lib/inert'
import { write } from '@/lib/lossless'
import { type Tone, isUnfinished } from '@/lib/status'
import { runTextQuery, stopRun } from './api'
import { Attempts } from './attempts'
import { RunEvents } from './run-events'
import { type ReadRun, readRun, verdictOf } from './model'

/** A run with its live output, result, attempts and events. */
export function LiveRun({ id }: { id: string }) {
  const query = useQuery(runTextQuery(id))
  return (
    <section aria-label="The run" aria-live="polite" className="flex min-w-0 flex-col gap-4">
      <Answer query={query}>{(text) => <Loaded text={text} />}</Answer>
    </section>
  )
}

function Loaded({ text }: { text: string }) {
  const shown = useMemo(() => readRun(text), [text])
  const { run } = shown
  return (
    <>
      <Head run={run} />
      {isUnfinished(run.status) ? (
        <>
          <RunEvents run={run} />
          <LiveOutput sessionId={run.session_id} runId={run.run_id} />
        </>
      ) : null}
      <Result shown={shown} />
      <Attempts run={run.run_id} />
      {isUnfinished(run.status) ? null : <RunEvents run={run} />}
    </>
  )
}

const TONES: Record<Tone, string> = {
  success: 'bg-success-soft text-success',
  danger: 'bg-danger-soft text-danger',
  warning: 'bg-warning-soft text-warning',
  info: 'bg-info-soft text-info',
  neutral: 'bg-sunken text-muted',
}

function Head({ run }: { run: Api.RunView }) {
  const stop = useMutation({ mutationFn: () => stopRun(run.run_id) })
  const verdict = verdictOf(run)
  return (
    <Card>
      <CardBody className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <StatusBadge status={run.status} />
          <span className="text-muted">
            {count(run.usage.input_tokens)} in · {count(run.usage.output_tokens)} out · {dollars(run.usage.cost_usd)} ·{' '}
            <Elapsed from={run.started_at} to={run.finished_at} />
          </span>
          <div className="ml-auto flex gap-2">
            {isUnfinished(run.status) ? (
              <Button size="small" variant="danger" disabled={stop.isPending} onClick={() => stop.mutate()}>
                <Square aria-hidden /> Stop
              </Button>
            ) : null}
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId: run.session_id }}
              search={{ run: run.run_id }}
              className={buttonStyle({ size: 'small' })}
            >
              <ExternalLink aria-hidden /> Session
            </Link>
          </div>
        </div>
        {verdict === null ? null : (
          <div
            className={`rounded-md px-3 py-2 ${TONES[verdict.tone]}`}
          >
            <p>
              <strong>{verdict.title}</strong> · {plain(verdict.detail)}
            </p>
            {verdict.errors.length > 0 ? (
              <ul className="mt-1 list-disc pl-5">
                {verdict.errors.map((error, index) => (
                  <li key={index} className="break-words">
                    <code>{plain(error)}</code>
                  </li>
                ))}
              </ul>
            ) : null}
          </div>
        )}
      </CardBody>
    </Card>
  )
}

function Result({ shown: { result } }: { shown: ReadRun }) {
  if (result === null) return null
  const text = result.json ? write(result.value, 2) : String(result.value)
  return (
    <Card aria-labelledby="tried-result">
      <CardHeader title="Result" id="tried-result" actions={<CopyButton text={text} label="Copy the result" />} />
      <CardBody tabIndex={0} role="region" aria-label="Result" className="max-h-96 overflow-auto">
        {result.json ? <JsonView text={text} /> : <InertText text={text} />}
      </CardBody>
    </Card>
  )
}
