import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '@/api'
import { useRights } from '@/api/role'
import { SchemaForm, controlOf, fieldErrors, initialValue, showsAll } from '@/components/schema-form'
import { JsonValue } from '@/components/schema-form/leaf'
import { Segmented } from '@/components/segmented'
import { Answer, Loading } from '@/components/states'
import { Button, Card, CardBody, CardHeader, Field, Input } from '@/components/ui'
import { NotYet, UnreadProvider, useUnread } from '@/components/unread'
import type { Json } from '@/lib/lossless'
import { type Terms, runTextQuery, startRun, termsQuery } from './api'
import { CallerContractCard } from './caller-contract'
import { LiveRun } from './live-run'
import { type CallerContract, callerContractOf, hasModel, parametersOf, requestOf } from './model'
import { Recorded, SampleInputs } from './sample-inputs'
import { samplesOf } from './samples'

interface Props {
  agentName: string
  /** The type of the agent's executor. */
  executor: string
}

/** Runs an agent from a form generated from its input schema, and shows the run live. */
export function TryRun({ agentName, executor }: Props) {
  const terms = useQuery(termsQuery(agentName))
  const search: RunSearch = useSearch({ strict: false })
  // The run in the URL when the page opens: its input fills the form. Later runs are started from the form.
  const [repeatedRun] = useState(search.run)
  const before = useQuery({ ...runTextQuery(repeatedRun ?? ''), enabled: repeatedRun !== undefined })
  if (repeatedRun !== undefined && before.isPending) return <Loading />
  const input = before.data === undefined ? undefined : parametersOf(before.data, agentName)
  const contract = before.data === undefined || input === undefined ? undefined : callerContractOf(before.data)
  const sampleOf = (data: Terms) => (search.sample ? samplesOf(data.parameters)[0] : undefined)
  return (
    <Answer query={terms}>
      {(data) => (
        <Trial key={agentName} agentName={agentName} executor={executor} terms={data} initialInput={input ?? sampleOf(data)} initialContract={contract} />
      )}
    </Answer>
  )
}

interface RunSearch {
  run?: string
  /** Whether the schema's example fills the form. */
  sample?: boolean
}

const VIEWS = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const

interface TrialProps extends Props {
  terms: Terms
  /** The initial input; by default that of the schema. */
  initialInput: Json | undefined
  /** The caller's contract of the repeated run. */
  initialContract: CallerContract | undefined
}

function Trial({ agentName, executor, terms, initialInput, initialContract }: TrialProps) {
  const search: RunSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const [parameters, setParameters] = useState<Json | undefined>(() => initialInput ?? initialValue(terms.parameters, terms.parameters))
  const viewFor = (input: Json | undefined) => {
    const fitsForm = controlOf(terms.parameters) === 'object' && (input === undefined || showsAll(terms.parameters, input, terms.parameters))
    return fitsForm ? 'form' : 'json'
  }
  const [view, setView] = useState<'form' | 'json'>(() => viewFor(initialInput))
  const [round, setRound] = useState(0)
  const fillIn = (input: Json) => {
    setParameters(input)
    setView(viewFor(input))
    // Remount the fields, to discard invalid text.
    setRound(round + 1)
  }
  const [contract, setContract] = useState<CallerContract>(initialContract !== undefined && terms.open ? initialContract : { kind: 'none' })
  const unreadParameters = useUnread()
  const unreadContract = useUnread()
  const [model, setModel] = useState('')
  const start = useMutation({
    mutationFn: () => startRun(requestOf({ agentName, parameters, contract, model })),
    onSuccess: ({ run_id }) =>
      void navigate({ to: '.', search: (before: object) => ({ ...before, run: run_id }), replace: true, resetScroll: false }),
  })
  const errors = fieldErrors(start.error)
  const readable = unreadParameters.problems.length === 0
  const missing = contract.kind === 'registry' && contract.name === '' ? ['choose a registered schema for the output'] : []
  const { calls, role } = useRights()
  const refused = calls ? [] : [`your key has the role ${role}, which cannot start runs`]
  const blockers = [...refused, ...unreadParameters.problems, ...unreadContract.problems, ...missing]
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <form
        className="flex min-w-0 flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          start.mutate()
        }}
      >
        {executor === 'replay' ? <Recorded agentName={agentName} /> : null}
        <SampleInputs agentName={agentName} parameters={terms.parameters} onUse={fillIn} />
        <Card aria-labelledby="parameters">
          <CardHeader
            title="Input"
            id="parameters"
            // Do not switch views while the input is invalid: the other view would lose it.
            actions={<Segmented label="Fill in as" options={VIEWS} value={view} onChange={(next) => readable && setView(next)} />}
          />
          <CardBody>
            <UnreadProvider key={round} value={unreadParameters.report}>
              {view === 'form' ? (
                <SchemaForm schema={terms.parameters} value={parameters} onChange={setParameters} errors={errors} />
              ) : (
                <Field label="Input as JSON" error={errors.map((error) => `${error.path}: ${error.message}`).join('; ') || undefined}>
                  {(ids) => <JsonValue ids={ids} value={parameters} onChange={setParameters} />}
                </Field>
              )}
            </UnreadProvider>
          </CardBody>
        </Card>
        <UnreadProvider value={unreadContract.report}>
          <CallerContractCard terms={terms} value={contract} onChange={setContract} />
        </UnreadProvider>
        <Card>
          <CardBody className="flex flex-wrap items-end gap-3">
            {hasModel(executor) ? (
              <Field label="Model" className="min-w-40 flex-1">
                {(ids) => (
                  <Input {...ids} placeholder="the agent's own" value={model} onChange={(event) => setModel(event.target.value)} />
                )}
              </Field>
            ) : null}
            <Button type="submit" variant="primary" disabled={start.isPending || blockers.length > 0}>
              <Play aria-hidden /> Run it
            </Button>
            <NotYet reasons={blockers} />
          </CardBody>
        </Card>
        {start.error ? (
          <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 break-words text-danger">
            {errors.length > 0 && view === 'form' ? 'Nothing was started: see the input above.' : messageOf(start.error)}
          </p>
        ) : null}
      </form>
      {search.run === undefined ? (
        <Card className="flex min-h-40 items-center justify-center p-6 text-muted">Results appear here.</Card>
      ) : (
        <LiveRun key={search.run} id={search.run} />
      )}
    </div>
  )
}
