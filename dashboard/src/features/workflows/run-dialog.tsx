import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileInput, Play } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '@/api'
import { workflowRunQuery } from '@/api/queries'
import { SchemaForm, controlOf, fieldErrors, initialValue, showsAll } from '@/components/schema-form'
import { JsonValue } from '@/components/schema-form/leaf'
import { Segmented } from '@/components/segmented'
import { Answer } from '@/components/states'
import { samplesOf } from '@/components/try-run/samples'
import { Button, Dialog, Field } from '@/components/ui'
import { NotYet, UnreadProvider, useUnread } from '@/components/unread'
import { type Json, at, parse } from '@/lib/lossless'
import { type Workflow, startWorkflow } from './api'
import { inputSchema } from './model'

interface Props {
  workflow: Workflow
  changed: boolean
  /** The run whose input fills the form; by default the initial value of the schema. */
  repeatedRun?: string
  onClose: () => void
}

const VIEWS = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const

/** Asks for the input of the workflow, starts a run and opens its page. */
export function RunDialog(props: Props) {
  return (
    <Dialog open onClose={props.onClose} title={`Run ${props.workflow.view.summary.name}`} className="w-[min(44rem,calc(100vw-2rem))]">
      {props.repeatedRun === undefined ? <Form {...props} /> : <RepeatForm {...props} repeatedRun={props.repeatedRun} />}
    </Dialog>
  )
}

function RepeatForm({ repeatedRun, ...props }: Props & { repeatedRun: string }) {
  return (
    <Answer query={useQuery(workflowRunQuery(repeatedRun))}>
      {(run) => <Form {...props} initialInput={at(parse(run), 'input') ?? undefined} />}
    </Answer>
  )
}

function Form({ workflow, changed, initialInput, onClose }: Omit<Props, 'repeatedRun'> & { initialInput?: Json }) {
  const navigate = useNavigate()
  const { name } = workflow.view.summary
  const schema = inputSchema(workflow.document)
  const hasForm = schema !== null && controlOf(schema) === 'object'
  const [input, setInput] = useState<Json | undefined>(() => initialInput ?? (schema === null ? new Map() : initialValue(schema, schema)))
  const [view, setView] = useState<'form' | 'json'>(hasForm && showsAll(schema, input, schema) ? 'form' : 'json')
  const start = useMutation({
    mutationFn: () => startWorkflow(name, input),
    onSuccess: (workflowRunId) => void navigate({ to: '/workflow-runs/$workflowRunId', params: { workflowRunId } }),
  })
  const errors = fieldErrors(start.error)
  const unread = useUnread()
  const readable = unread.problems.length === 0
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        start.mutate()
      }}
    >
      {changed ? (
        <p className="rounded-md bg-warning-soft px-3 py-2 text-warning">
          This runs the saved workflow, without your unsaved changes.
        </p>
      ) : null}
      {/* Do not switch views while the input is invalid: the other view would lose it. */}
      {hasForm ? <Segmented label="Fill in as" options={VIEWS} value={view} onChange={(next) => readable && setView(next)} /> : null}
      {schema !== null && samplesOf(schema).length > 0 ? (
        <Button size="small" className="self-start" onClick={() => setInput(samplesOf(schema)[0])}>
          <FileInput aria-hidden /> Use the example input
        </Button>
      ) : null}
      <UnreadProvider value={unread.report}>
        {view === 'form' && schema !== null ? (
          <SchemaForm schema={schema} value={input} onChange={setInput} errors={errors} />
        ) : (
          <Field label="Input as JSON" error={errors.map((error) => `${error.path}: ${error.message}`).join('; ') || undefined}>
            {(ids) => <JsonValue ids={ids} value={input} onChange={setInput} />}
          </Field>
        )}
      </UnreadProvider>
      {start.error ? (
        <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 break-words text-danger">
          {errors.length > 0 && view === 'form' ? 'Nothing was started: see the fields above.' : messageOf(start.error)}
        </p>
      ) : null}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <NotYet reasons={unread.problems} />
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={start.isPending || !readable}>
          <Play aria-hidden /> Run it
        </Button>
      </div>
    </form>
  )
}
