import { Send } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { messageOf } from '@/api'
import { SchemaForm, fieldErrors } from '@/components/schema-form'
import { JsonValue } from '@/components/schema-form/leaf'
import { Segmented } from '@/components/segmented'
import { Button, Card, CardBody, CardHeader, Field } from '@/components/ui'
import { NotYet, UnreadProvider, useUnread } from '@/components/unread'
import type { Json } from '@/lib/lossless'
import { Approval } from './approval'
import type { Request } from './model'

export interface AnswerProps {
  request: Request
  onSend: (answer: Json | undefined) => void
  pending: boolean
  /** Why the last answer was rejected. */
  error: Error | null
}

/** The form for an answer: two buttons for an approval, else a form generated from the schema. */
export function AnswerForm(props: AnswerProps) {
  return props.request.view.purpose === 'approval' ? <Approval {...props} /> : <SchemaAnswer {...props} />
}

const VIEWS = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const

const TITLES = { approval: 'Decision', question: 'Answer', correction: 'Corrected result', task: 'Result', tool_call: 'Result of the call' }

function SchemaAnswer({ request, onSend, pending, error }: AnswerProps) {
  const { schema } = request
  const [value, setValue] = useState(request.initial)
  const [view, setView] = useState<'form' | 'json'>('form')
  const unread = useUnread()
  const form = useRef<HTMLFormElement>(null)
  useFocusedError(form, error)
  const errors = error === null ? request.errors : fieldErrors(error)
  const readable = unread.problems.length === 0
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (readable && !pending) onSend(value)
      }}
    >
      <Card aria-labelledby="answer">
        <CardHeader
          title={TITLES[request.view.purpose]}
          id="answer"
          // Do not switch views while the input is invalid: the other view would lose it.
          actions={<Segmented label="Fill in as" options={VIEWS} value={view} onChange={(next) => readable && setView(next)} />}
        />
        <CardBody className="flex flex-col gap-4">
          <UnreadProvider value={unread.report}>
            {view === 'form' ? (
              <SchemaForm schema={schema} value={value} onChange={setValue} errors={errors} label="Answer" />
            ) : (
              <Field label="Answer as JSON" error={errors.map(({ path, message }) => `${path}: ${message}`).join('; ') || undefined}>
                {(ids) => <JsonValue ids={ids} value={value} onChange={setValue} />}
              </Field>
            )}
          </UnreadProvider>
          {error === null ? null : <Refused error={error} located={errors.length > 0} />}
          <div className="flex flex-wrap items-center gap-3">
            <Button type="submit" variant="primary" disabled={pending || !readable}>
              <Send aria-hidden /> Send answer
            </Button>
            <NotYet reasons={unread.problems} />
          </div>
        </CardBody>
      </Card>
    </form>
  )
}

export function Refused({ error, located = false }: { error: Error; located?: boolean }) {
  return (
    <p role="alert" tabIndex={-1} className="rounded-md bg-danger-soft px-3 py-2 break-words text-danger">
      {located ? 'The answer was not accepted. Fix the errors above and send it again.' : messageOf(error)}
    </p>
  )
}

/** When an answer is rejected, focuses the first field with an error, or the error message. */
function useFocusedError(form: RefObject<HTMLFormElement | null>, error: Error | null): void {
  useEffect(() => {
    if (error === null) return
    const target = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]') ?? form.current?.querySelector<HTMLElement>('[role="alert"]')
    target?.focus()
  }, [form, error])
}
