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
import { BroughtContract } from './brought-contract'
import { LiveRun } from './live-run'
import { type Brought, broughtOf, hasModel, parametersOf, requestOf } from './model'
import { Recorded, SampleInputs } from './sample-inputs'
import { samplesOf } from './samples'

interface Props {
  agentName: string
  /** What does the work, by its type. */
  executor: string
}

/** Runs an agent from a form made of its input schema, and shows the run as it happens. */
export function TryRun({ agentName, executor }: Props) {
  const terms = useQuery(termsQuery(agentName))
  const search: Address = useSearch({ strict: false })
  // The run that the address names at first: the form begins with what went into it. Later ones come from the form.
  const [again] = useState(search.run)
  const before = useQuery({ ...runTextQuery(again ?? ''), enabled: again !== undefined })
  if (again !== undefined && before.isPending) return <Loading />
  const given = before.data === undefined ? undefined : parametersOf(before.data, agentName)
  const contract = before.data === undefined || given === undefined ? undefined : broughtOf(before.data)
  const sampled = (data: Terms) => (search.sample ? samplesOf(data.parameters)[0] : undefined)
  return (
    <Answer query={terms}>
      {(data) => (
        <Trial key={agentName} agentName={agentName} executor={executor} terms={data} given={given ?? sampled(data)} contract={contract} />
      )}
    </Answer>
  )
}

interface Address {
  run?: string
  /** Whether the form begins with the example of the schema. */
  sample?: boolean
}

const WAYS = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const

interface TrialProps extends Props {
  terms: Terms
  /** What the form begins with; what the schema says where there is nothing. */
  given: Json | undefined
  /** The contract that the caller of the earlier run brought along. */
  contract: Brought | undefined
}

function Trial({ agentName, executor, terms, given, contract }: TrialProps) {
  const search: Address = useSearch({ strict: false })
  const navigate = useNavigate()
  const [parameters, setParameters] = useState<Json | undefined>(() => given ?? initialValue(terms.parameters, terms.parameters))
  const wayFor = (input: Json | undefined) => {
    const formed = controlOf(terms.parameters) === 'object' && (input === undefined || showsAll(terms.parameters, input, terms.parameters))
    return formed ? 'form' : 'json'
  }
  const [way, setWay] = useState<'form' | 'json'>(() => wayFor(given))
  const [round, setRound] = useState(0)
  const begin = (input: Json) => {
    setParameters(input)
    setWay(wayFor(input))
    // Fields begin anew: a text that was no value yet goes.
    setRound(round + 1)
  }
  const [brought, setBrought] = useState<Brought>(contract !== undefined && terms.open ? contract : { kind: 'none' })
  const unreadParameters = useUnread()
  const unreadContract = useUnread()
  const [model, setModel] = useState('')
  const start = useMutation({
    mutationFn: () => startRun(requestOf({ agentName, parameters, brought, model })),
    onSuccess: ({ run_id }) =>
      void navigate({ to: '.', search: (before: object) => ({ ...before, run: run_id }), replace: true, resetScroll: false }),
  })
  const errors = fieldErrors(start.error)
  const readable = unreadParameters.problems.length === 0
  const missing = brought.kind === 'registry' && brought.name === '' ? ['choose a registered schema for the output'] : []
  const { calls, role } = useRights()
  const refused = calls ? [] : [`your key has the role ${role}, which cannot start runs`]
  const inTheWay = [...refused, ...unreadParameters.problems, ...unreadContract.problems, ...missing]
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
        <SampleInputs agentName={agentName} parameters={terms.parameters} onUse={begin} />
        <Card aria-labelledby="parameters">
          <CardHeader
            title="Input"
            id="parameters"
            // What cannot be read yet stays in sight: the other way would drop it.
            actions={<Segmented label="Fill in as" options={WAYS} value={way} onChange={(next) => readable && setWay(next)} />}
          />
          <CardBody>
            <UnreadProvider key={round} value={unreadParameters.report}>
              {way === 'form' ? (
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
          <BroughtContract terms={terms} value={brought} onChange={setBrought} />
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
            <Button type="submit" variant="primary" disabled={start.isPending || inTheWay.length > 0}>
              <Play aria-hidden /> Run it
            </Button>
            <NotYet reasons={inTheWay} />
          </CardBody>
        </Card>
        {start.error ? (
          <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 break-words text-danger">
            {errors.length > 0 && way === 'form' ? 'Nothing was started: see the input above.' : messageOf(start.error)}
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
