import { Check, X } from 'lucide-react'
import { useState } from 'react'
import { Button, Card, CardBody, CardHeader, Field, Textarea } from '@/components/ui'
import { type AnswerProps, Refused } from './answer-form'
import { decision } from './model'

/** Approves or denies a tool call. */
export function Approval({ onSend, pending, error }: AnswerProps) {
  const [reason, setReason] = useState('')
  return (
    <Card aria-labelledby="decision">
      <CardHeader title="Decision" id="decision" />
      <CardBody className="flex flex-col gap-4">
        <Field
          label={
            <>
              Reason <span className="font-normal text-muted">optional</span>
            </>
          }
          hint="The agent reads it if the call is denied."
        >
          {(ids) => <Textarea {...ids} rows={2} className="min-h-8" value={reason} onChange={(event) => setReason(event.target.value)} />}
        </Field>
        {error === null ? null : <Refused error={error} />}
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" disabled={pending} onClick={() => onSend(decision(true, reason))}>
            <Check aria-hidden /> Approve
          </Button>
          <Button variant="danger" disabled={pending} onClick={() => onSend(decision(false, reason))}>
            <X aria-hidden /> Deny
          </Button>
        </div>
      </CardBody>
    </Card>
  )
}
