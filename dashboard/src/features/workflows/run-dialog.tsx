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
  /** The run whose input it begins with; that of its schema where there is none. */
  again?: string
  onClose: () => void
}

const WAYS = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const

/** What goes in, as the input node says; then the run's own page. */
export function RunDialog(props: Props) {
  return (
    <Dialog open onClose={props.onClose} title={`Run ${props.workflow.view.summary.name}`} className="w-[min(44rem,calc(100vw-2rem))]">
      {props.again === undefined ? <Form {...props} /> : <Again {...props} again={props.again} />}
    </Dialog>
  )
}

function Again({ again, ...props }: Props & { again: string }) {
  return (
    <Answer query={useQuery(workflowRunQuery(again))}>
      {(run) => <Form {...props} given={at(parse(run), 'input') ?? undefined} />}
    </Answer>
  )
}

function Form({ workflow, changed, given, onClose }: Omit<Props, 'again'> & { given?: Json }) {
  const navigate = useNavigate()
  const { name } = workflow.view.summary
  const schema = inputSchema(workflow.document)
  const formed = schema !== null && controlOf(schema) === 'object'
  const [input, setInput] = useState<Json | undefined>(() => given ?? (schema === null ? new Map() : initialValue(schema, schema)))
  const [way, setWay] = useState<'form' | 'json'>(formed && showsAll(schema, input, schema) ? 'form' : 'json')
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
      {/* What cannot be read yet stays in sight: the other way would drop it. */}
      {formed ? <Segmented label="Fill in as" options={WAYS} value={way} onChange={(next) => readable && setWay(next)} /> : null}
      {schema !== null && samplesOf(schema).length > 0 ? (
        <Button size="small" className="self-start" onClick={() => setInput(samplesOf(schema)[0])}>
          <FileInput aria-hidden /> Use the example input
        </Button>
      ) : null}
      <UnreadProvider value={unread.report}>
        {way === 'form' && schema !== null ? (
          <SchemaForm schema={schema} value={input} onChange={setInput} errors={errors} />
        ) : (
          <Field label="Input as JSON" error={errors.map((error) => `${error.path}: ${error.message}`).join('; ') || undefined}>
            {(ids) => <JsonValue ids={ids} value={input} onChange={setInput} />}
          </Field>
        )}
      </UnreadProvider>
      {start.error ? (
        <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 break-words text-danger">
          {errors.length > 0 && way === 'form' ? 'Nothing was started: see the fields above.' : messageOf(start.error)}
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
