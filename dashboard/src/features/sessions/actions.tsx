import { useNavigate } from '@tanstack/react-router'
import { Play, Square, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { type Api, messageOf } from '@/api'
import { OnlyWho } from '@/components/read-only'
import { Button, Confirm, Dialog, Field, Textarea } from '@/components/ui'
import { isUnfinished } from '@/lib/status'
import { useDeleteSession, useResumable, useResumeSession, useStopSession } from './api'
import { RunAgain } from './run-again'

interface Props {
  session: Api.SessionView
  /** The selected run. */
  runId: string
  /** The run whose input fills the form of a new run. */
  inputRunId: string
}

/** The stop, resume, run again and delete buttons. */
export function SessionActions({ session, runId, inputRunId }: Props) {
  const stop = useStopSession(session.session_id)
  const [open, setOpen] = useState<'resume' | 'remove' | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <OnlyWho may="calls">
        {isUnfinished(session.status) ? (
          <Button variant="danger" disabled={stop.isPending || session.status === 'stopping'} onClick={() => stop.mutate()}>
            <Square aria-hidden /> Stop
          </Button>
        ) : (
          <ResumeButton session={session} onResume={() => setOpen('resume')} />
        )}
        <RunAgain agentName={session.agent_name} runId={runId} inputRunId={inputRunId} />
      </OnlyWho>
      {isUnfinished(session.status) ? null : (
        <OnlyWho may="administers">
          <Button variant="ghost" size="icon" aria-label="Delete the session" onClick={() => setOpen('remove')}>
            <Trash2 aria-hidden />
          </Button>
        </OnlyWho>
      )}
      {stop.error ? (
        <p role="alert" className="text-danger">
          {messageOf(stop.error)}
        </p>
      ) : null}
      <Resume open={open === 'resume'} onClose={close} session={session} />
      <Remove open={open === 'remove'} onClose={close} session={session} />
    </>
  )
}

/** Hidden for commands, which have no conversation to resume. */
function ResumeButton({ session, onResume }: { session: Api.SessionView; onResume: () => void }) {
  if (useResumable(session.agent_name) !== true) return null
  return (
    <Button onClick={onResume}>
      <Play aria-hidden /> Resume
    </Button>
  )
}

interface DialogProps {
  open: boolean
  onClose: () => void
  session: Api.SessionView
}

function Resume({ open, onClose, session }: DialogProps) {
  const navigate = useNavigate()
  const resume = useResumeSession(session.session_id)
  const [prompt, setPrompt] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    resume.mutate(prompt, {
      onSuccess: (run) => {
        setPrompt('')
        onClose()
        void navigate({
          to: '/sessions/$sessionId',
          params: { sessionId: session.session_id },
          search: { run: run.run_id },
        })
      },
    })
  }
  return (
    <Dialog open={open} onClose={onClose} title="Resume the session">
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field
          label="Prompt"
          hint="Continues the conversation. The agent's contract applies again."
          error={resume.error ? messageOf(resume.error) : undefined}
        >
          {(ids) => (
            <Textarea {...ids} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={resume.isPending || prompt.trim() === ''}>
            Resume
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Remove({ open, onClose, session }: DialogProps) {
  const navigate = useNavigate()
  const remove = useDeleteSession(session.session_id)
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title="Delete this session?"
      confirmLabel="Delete"
      busy={remove.isPending}
      error={remove.error ? messageOf(remove.error) : null}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/sessions' }) })}
    >
      Deletes its runs, attempts, events and results too. This cannot be undone.
    </Confirm>
  )
}
