import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { messageOf } from '@/api'
import { agentsQuery, runQuery } from '@/api/queries'
import { Button, Dialog, Field, Input, buttonStyle } from '@/components/ui'
import { isUnderWay } from '@/lib/status'
import { useRetryRun } from './api'

interface Props {
  agentName: string
  /** The run in view. */
  runId: string
  /** The run whose input the form begins with. */
  again: string
}

/** Runs the run in view again, once it has finished. */
export function RunAgain({ agentName, runId, again }: Props) {
  const [open, setOpen] = useState(false)
  const { data: run } = useQuery(runQuery(runId))
  if (run === undefined || isUnderWay(run.status)) return null
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <RotateCcw aria-hidden /> Run again
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Run again">
        <Again agentName={agentName} runId={runId} again={again} model={run.model ?? null} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

interface AgainProps extends Props {
  /** The model of the run; null if it asks none. */
  model: string | null
  onClose: () => void
}

function Again({ agentName, runId, again, model, onClose }: AgainProps) {
  const navigate = useNavigate()
  const retry = useRetryRun(runId)
  const [wanted, setWanted] = useState(model ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const other = wanted.trim() === '' || wanted.trim() === model ? {} : { model: wanted.trim() }
    retry.mutate(other, {
      onSuccess: (created) => {
        onClose()
        void navigate({ to: '/sessions/$sessionId', params: { sessionId: created.session_id }, search: { run: created.run_id } })
      },
    })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <p>The agent, input and contract stay as they were for this run.</p>
      {model === null ? null : (
        <Field label="Model">
          {(ids) => <Input {...ids} value={wanted} onChange={(event) => setWanted(event.target.value)} />}
        </Field>
      )}
      {retry.error ? (
        <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
          {messageOf(retry.error)}
        </p>
      ) : null}
      <div className="flex flex-wrap justify-end gap-2">
        <EditInput agentName={agentName} again={again} />
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={retry.isPending}>
          Run again
        </Button>
      </div>
    </form>
  )
}

/** Opens the run form with the same input. Agents of workflows are in no list. */
function EditInput({ agentName, again }: { agentName: string; again: string }) {
  const agents = useQuery(agentsQuery())
  if (!agents.data?.items.some(({ name, valid }) => name === agentName && valid)) return null
  return (
    <Link to="/runs/new" search={{ agent: agentName, run: again }} className={buttonStyle({ className: 'mr-auto' })}>
      Edit the input
    </Link>
  )
}
