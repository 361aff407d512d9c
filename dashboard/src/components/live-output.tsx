/** The output of a run while it streams, before it is validated. */
import { useLayoutEffect, useRef } from 'react'
import { useSessionEvents } from '@/api/events'
import { liveOutputOf } from '@/lib/live-output'
import { InertText } from './inert-text'
import { Badge, Card, CardHeader } from './ui'

interface Props {
  sessionId: string
  runId: string
}

export function LiveOutput({ sessionId, runId }: Props) {
  const { data = [] } = useSessionEvents(sessionId)
  const { text, stderr } = liveOutputOf(data, runId)
  if (text === '' && stderr === '') return null
  return (
    <Card aria-labelledby="unvalidated-output" className="shrink-0">
      <CardHeader title="Unvalidated output" id="unvalidated-output" actions={<Badge tone="warning">Not a result</Badge>} />
      <div className="flex flex-col gap-3 px-4 py-3">
        {text === '' ? null : <Stream label="Unvalidated model output" text={text} />}
        {stderr === '' ? null : <Stream label="stderr" text={stderr} heading />}
      </div>
    </Card>
  )
}

/** Within this distance from the end, the view follows the output. */
const NEAR_END_PX = 80

function Stream({ label, text, heading = false }: { label: string; text: string; heading?: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  // Keep the newest line visible unless the user has scrolled up.
  useLayoutEffect(() => {
    const element = box.current
    if (element !== null && element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX) element.scrollTop = element.scrollHeight
  }, [text])
  return (
    <div>
      {heading ? <h3 className="mb-1 font-mono text-[0.93rem] text-muted">{label}</h3> : null}
      <div ref={box} tabIndex={0} role="log" aria-label={label} className="max-h-64 overflow-auto text-muted">
        <InertText text={text} />
      </div>
    </div>
  )
}
