import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { messageOf } from '@/api'
import { useRights } from '@/api/role'
import { ReadOnlyNotice } from '@/components/editing'
import { Page } from '@/components/page'
import { SchemaEditor } from '@/components/schema'
import { Button, Card, CardBody, Field, Input } from '@/components/ui'
import { NotYet, UnreadProvider, useUnread } from '@/components/unread'
import { type Json, isMap } from '@/lib/lossless'
import { useCreateSchema } from './api'
import { exampleSchema } from './model'

export function NewSchemaPage() {
  const navigate = useNavigate()
  const create = useCreateSchema()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [schema, setSchema] = useState<Json>(exampleSchema)
  const unread = useUnread()
  const problems = [...unread.problems, ...(isMap(schema) ? [] : ['a registered schema must be a JSON object'])]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isMap(schema) || problems.length > 0) return
    create.mutate(
      { name, description, schema },
      { onSuccess: (created) => void navigate({ to: '/schemas/$name', params: { name: created.name } }) },
    )
  }
  const { administers } = useRights()
  return (
    <Page title="Add a schema">
      <ReadOnlyNotice what="schemas" changed={false} />
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid gap-4 md:grid-cols-2">
          <Field label="Name" hint="Letters, digits, -, _ and .">
            {(ids) => <Input {...ids} required value={name} onChange={(event) => setName(event.target.value)} />}
          </Field>
          <Field label="Description" hint="What it is for.">
            {(ids) => <Input {...ids} value={description} onChange={(event) => setDescription(event.target.value)} />}
          </Field>
        </div>
        <Card aria-label="Schema">
          <CardBody>
            <UnreadProvider value={unread.report}>
              <SchemaEditor name="the schema" value={schema} onChange={setSchema} />
            </UnreadProvider>
          </CardBody>
        </Card>
        {create.error ? (
          <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
            {messageOf(create.error)}
          </p>
        ) : null}
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" disabled={!administers || create.isPending || name === '' || problems.length > 0}>
            Add schema
          </Button>
          <Button onClick={() => void navigate({ to: '/schemas' })}>Cancel</Button>
          <NotYet reasons={problems} />
        </div>
      </form>
    </Page>
  )
}
