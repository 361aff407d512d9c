import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type Api, messageOf } from '@/api'
import { CodeEditor } from '@/components/code'
import { Command, CopyButton } from '@/components/command'
import { Page } from '@/components/page'
import { OnlyWho } from '@/components/read-only'
import { Answer } from '@/components/states'
import { Ago } from '@/components/time'
import { Button, Card, CardBody, CardHeader, Confirm } from '@/components/ui'
import { plain } from '@/lib/inert'
import { schemaQuery, useDeleteSchema } from './api'
import type { Registered } from './model'

const route = getRouteApi('/schemas/$name')

export function SchemaPage() {
  const { name } = route.useParams()
  const query = useQuery(schemaQuery(name))
  const [removing, setRemoving] = useState(false)
  return (
    <Page
      title={name}
      lead={query.data ? plain(query.data.view.description) : ' '}
      actions={
        <OnlyWho may="administers">
          <Button variant="danger" disabled={query.data === undefined} onClick={() => setRemoving(true)}>
            <Trash2 aria-hidden /> Delete
          </Button>
        </OnlyWho>
      }
    >
      <Answer query={query}>{(registered) => <Schema {...registered} />}</Answer>
      <Remove name={name} open={removing} onClose={() => setRemoving(false)} />
    </Page>
  )
}

function Schema({ view: schema, text }: Registered) {
  return (
    <div className="grid gap-4 lg:grid-cols-[2fr_1fr]">
      <Card>
        <CardHeader title="Schema" actions={<CopyButton text={text} label="Copy the schema" />} />
        <div className="h-[60vh]">
          <CodeEditor value={text} language="json" label={`Schema ${schema.name}`} readOnly />
        </div>
      </Card>
      <div className="flex flex-col gap-4">
        <Card>
          <CardHeader title="Used by" />
          <CardBody>
            <Users users={schema.used_by} />
          </CardBody>
        </Card>
        <Card>
          <CardHeader title="About" />
          <CardBody className="flex flex-col gap-2">
            <p>
              Registered <Ago at={schema.created_at} />
            </p>
            <p className="text-muted">
              Hash <code className="[overflow-wrap:anywhere]">{schema.hash}</code>
            </p>
            <p>Use it with an agent that has no contract of its own:</p>
            <Command text={`accord run AGENT --schema-name ${schema.name}`} />
          </CardBody>
        </Card>
      </div>
    </div>
  )
}

function Users({ users }: { users: Api.SchemaView['used_by'] }) {
  const { agents = [], workflows = [] } = users ?? {}
  if (agents.length + workflows.length === 0) {
    return <p className="text-muted">Not used by any agent or workflow.</p>
  }
  return (
    <ul className="flex flex-col gap-1">
      {agents.map((name) => (
        <li key={`agent ${name}`}>
          <Link to="/agents/$name" params={{ name }} className="text-accent hover:underline">
            {name}
          </Link>
        </li>
      ))}
      {workflows.map((name) => (
        <li key={`workflow ${name}`}>
          <Link to="/workflows/$name" params={{ name }} className="text-accent hover:underline">
            {name}
          </Link>{' '}
          <span className="text-muted">workflow</span>
        </li>
      ))}
    </ul>
  )
}

function Remove({ name, open, onClose }: { name: string; open: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  const remove = useDeleteSchema(name)
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={`Delete the schema ${name}?`}
      confirmLabel="Delete"
      busy={remove.isPending}
      error={remove.error ? messageOf(remove.error) : null}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/schemas' }) })}
    >
      Existing runs keep their copy. A schema that an agent or workflow uses cannot be deleted.
    </Confirm>
  )
}
