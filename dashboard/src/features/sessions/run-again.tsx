import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { messageOf } from '@/api'
import { agentsQuery, runQuery } from '@/api/queries'
import { Button, Dialog, Field, Input, buttonStyle } from '@/components/ui'
import { isUnfinished } from '@/lib/status'
import { useRetryRun } from './api'

interface Props {
  agentName: string
  /** The selected run. */
  runId: string
  /** The run whose input fills the form. */
  inputRunId: string
}

/** Runs the selected run again, once it has finished. */
export function RunAgain({ agentName, runId, inputRunId }: Props) {
  const [open, setOpen] = useState(false)
  const { data: run } = useQuery(runQuery(runId))
  if (run === undefined || isUnfinished(run.status)) return null
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <RotateCcw aria-hidden /> Run again
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Run again">
        <RunAgainForm agentName={agentName} runId={runId} inputRunId={inputRunId} model={run.model ?? null} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

interface FormProps extends Props {
  /** The model of the run; null if it uses none. */
  model: string | null
  onClose: () => void
}

function RunAgainForm({ agentName, runId, inputRunId, model, onClose }: FormProps) {
  const navigate = useNavigate()
  const retry = useRetryRun(runId)
  const [newModel, setNewModel] = useState(model ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const changes = newModel.trim() === '' || newModel.trim() === model ? {} : { model: newModel.trim() }
    retry.mutate(changes, {
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
          {(ids) => <Input {...ids} value={newModel} onChange={(event) => setNewModel(event.target.value)} />}
        </Field>
      )}
      {retry.error ? (
        <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
          {messageOf(retry.error)}
        </p>
      ) : null}
      <div className="flex flex-wrap justify-end gap-2">
        <EditInput agentName={agentName} inputRunId={inputRunId} />
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={retry.isPending}>
          Run again
        </Button>
      </div>
    </form>
  )
}

/** Opens the run form with the same input. Hidden for agents that are not listed, such as inline agents of workflows. */
function EditInput({ agentName, inputRunId }: { agentName: string; inputRunId: string }) {
  const agents = useQuery(agentsQuery())
  if (!agents.data?.items.some(({ name, valid }) => name === agentName && valid)) return null
  return (
    <Link to="/runs/new" search={{ agent: agentName, run: inputRunId }} className={buttonStyle({ className: 'mr-auto' })}>
      Edit the input
    </Link>
  )
}
