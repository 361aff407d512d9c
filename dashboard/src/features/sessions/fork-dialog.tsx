import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { type Api, messageOf } from '@/api'
import { Loading } from '@/components/states'
import { Button, Dialog, Field, Input, Textarea } from '@/components/ui'
import { systemPromptQuery, useForkRun } from './api'
import { type ForkForm, forkForm, forkRequest, acceptsSchema } from './fork-model'

interface Props {
  run: Api.RunView
  /** The JSON text of the run, in which numbers keep their digits. */
  text: string
  /** The last step to keep. The dialog is open unless it is null. */
  from: number | null
  onClose: () => void
}

/** Continues a run from one of its steps, with another model, system prompt or output schema. */
export function ForkDialog({ run, text, from, onClose }: Props) {
  const prompt = useQuery({ ...systemPromptQuery(run.agent_name), enabled: from !== null })
  return (
    <Dialog open={from !== null} onClose={onClose} title={`Run again from step ${from ?? ''}`} className="w-[min(48rem,calc(100vw-2rem))]">
      {from === null ? null : prompt.isLoading ? (
        <Loading />
      ) : (
        <Form key={from} run={run} from={from} before={forkForm(run, text, prompt.data ?? '')} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface FormProps {
  run: Api.RunView
  from: number
  before: ForkForm
  onClose: () => void
}

function Form({ run, from, before, onClose }: FormProps) {
  const navigate = useNavigate()
  const fork = useForkRun(run.run_id)
  const [form, setForm] = useState(before)
  const [mistake, setMistake] = useState<string | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    let request
    try {
      request = forkRequest(from, before, form)
    } catch (error) {
      setMistake(error instanceof Error ? error.message : String(error))
      return
    }
    setMistake(null)
    fork.mutate(request, {
      onSuccess: ({ session_id: sessionId, run_id }) => {
        onClose()
        void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search: { run: run_id } })
      },
    })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <p>
        A new run keeps steps 1 to {from} and continues from there, in a session of its own. This run does not change.
      </p>
      {run.model ? (
        <Field label="Model">
          {(ids) => <Input {...ids} value={form.model} onChange={(event) => setForm({ ...form, model: event.target.value })} />}
        </Field>
      ) : null}
      <Field label="System prompt" hint="The agent's current prompt. If you do not change it, the run keeps its own.">
        {(ids) => (
          <Textarea {...ids} value={form.systemPrompt} onChange={(event) => setForm({ ...form, systemPrompt: event.target.value })} />
        )}
      </Field>
      {acceptsSchema(run) ? (
        <Field label="Output schema" hint="JSON Schema. Empty for none." error={mistake ?? undefined}>
          {(ids) => (
            <Textarea
              {...ids}
              className="min-h-40 font-mono"
              spellCheck={false}
              value={form.schema}
              onChange={(event) => setForm({ ...form, schema: event.target.value })}
            />
          )}
        </Field>
      ) : (
        <p className="text-muted">The agent's output contract applies and cannot be replaced.</p>
      )}
      {fork.error ? (
        <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
          {messageOf(fork.error)}
        </p>
      ) : null}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={fork.isPending}>
          Run again from here
        </Button>
      </div>
    </form>
  )
}
