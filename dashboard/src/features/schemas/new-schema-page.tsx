import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useDeferredValue, useMemo, useState } from 'react'
import { messageOf } from '@/api'
import { useRights } from '@/api/role'
import { CodeEditor } from '@/components/code'
import { OnlyReads } from '@/components/editing'
import { Page } from '@/components/page'
import { Badge, Button, Card, CardBody, CardHeader, Field, Input } from '@/components/ui'
import { findingsOf, lintOf, syntaxFinding } from '@/lib/findings'
import { useCreateSchema, validateSchema } from './api'
import { EXAMPLE, readSchema } from './model'

export function NewSchemaPage() {
  const navigate = useNavigate()
  const create = useCreateSchema()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [text, setText] = useState(EXAMPLE)
  const read = useMemo(() => readSchema(text), [text])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if ('wrong' in read) return
    create.mutate(
      { name, description, schema: read.schema },
      { onSuccess: (made) => void navigate({ to: '/schemas/$name', params: { name: made.name } }) },
    )
  }
  const { administers } = useRights()
  return (
    <Page title="Add a schema">
      <OnlyReads what="schemas" changed={false} />
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid gap-4 md:grid-cols-2">
          <Field label="Name" hint="Letters, digits, -, _ and .">
            {(ids) => <Input {...ids} required value={name} onChange={(event) => setName(event.target.value)} />}
          </Field>
          <Field label="Description" hint="What it is for.">
            {(ids) => <Input {...ids} value={description} onChange={(event) => setDescription(event.target.value)} />}
          </Field>
        </div>
        <Checked text={text} onChange={setText} />
        {create.error ? (
          <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
            {messageOf(create.error)}
          </p>
        ) : null}
        <div className="flex gap-2">
          <Button type="submit" variant="primary" disabled={!administers || create.isPending || name === '' || 'wrong' in read}>
            Add the schema
          </Button>
          <Button onClick={() => void navigate({ to: '/schemas' })}>Cancel</Button>
        </div>
      </form>
    </Page>
  )
}

/** The editor, with what the server says about the schema as it is written. */
function Checked({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const settled = useDeferredValue(text)
  const read = useMemo(() => readSchema(settled), [settled])
  const check = useQuery({
    queryKey: ['schema-check', settled],
    queryFn: () => validateSchema('schema' in read ? read.schema : new Map()),
    enabled: 'schema' in read,
    placeholderData: (before) => before,
  })
  const findings = useMemo(() => {
    const syntax = syntaxFinding(settled)
    if (syntax !== null) return [syntax]
    if (check.data === undefined || check.isPlaceholderData) return []
    return findingsOf(settled, check.data.problems, lintOf(check.data.lint))
  }, [settled, check.data, check.isPlaceholderData])
  const errors = findings.filter((finding) => finding.severity === 'error')
  return (
    <Card>
      <CardHeader
        title="Schema"
        actions={
          errors.length > 0 ? <Badge tone="danger">not valid</Badge> : check.data?.valid ? <Badge tone="success">valid</Badge> : null
        }
      />
      <div className="h-96">
        <CodeEditor value={text} onChange={onChange} language="json" label="Schema" findings={findings} />
      </div>
      {findings.length > 0 ? (
        <CardBody className="border-t">
          <ul className="flex flex-col gap-1" aria-label="Findings">
            {findings.map((finding, index) => (
              <li key={index} className="flex items-baseline gap-2">
                <Badge tone={finding.severity === 'error' ? 'danger' : finding.severity}>{finding.severity}</Badge>
                <span>{finding.message}</span>
              </li>
            ))}
          </ul>
        </CardBody>
      ) : null}
    </Card>
  )
}
