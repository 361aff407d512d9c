import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { messageOf } from '@/api'
import { isKey, presentKey } from '@/api/access'
import { roleOf } from '@/api/role'
import { Command } from '@/components/command'
import { Button, Card, Field, Input } from '@/components/ui'
import { useObservable } from '@/lib/observable'
import { unsaved } from '@/lib/unsaved'

/**
 * Asks for a key, in a dialog that covers the whole page and other dialogs: what somebody typed below is still there
 * afterwards.
 */
export function Login({ reason }: { reason: string }) {
  const element = useRef<HTMLDialogElement>(null)
  const open = () => {
    if (element.current?.open === false) element.current.showModal()
  }
  useEffect(open, [])
  return (
    <dialog
      ref={element}
      aria-label="Sign in"
      // Escape closes other dialogs, but not this one.
      onCancel={(event) => event.preventDefault()}
      onClose={open}
      className="m-0 h-dvh max-h-none w-screen max-w-none overflow-y-auto border-0 bg-canvas p-0 text-ink"
    >
      <main className="flex min-h-dvh items-center justify-center p-4">
        <Card className="w-full max-w-md p-6">
          <Form reason={reason} />
        </Card>
      </main>
    </dialog>
  )
}

const NO_KEY = 'Keys are printable ASCII without spaces. Copy the whole key again.'
const A_RUNNERS = 'This is a runner key, which cannot open the dashboard. Use a viewer, caller or admin key.'

function Form({ reason }: { reason: string }) {
  const client = useQueryClient()
  const kept = useObservable(unsaved) > 0
  const [key, setKey] = useState('')
  const given = key.trim()
  const wrong = given !== '' && !isKey(given)
  const signIn = useMutation({
    mutationFn: async (given: string) => {
      const role = await roleOf(given)
      if (role === 'runner') throw new Error(A_RUNNERS)
      return role
    },
    onSuccess: (role, good) => {
      // What another key has seen is not this one's; what is in sight is looked up again.
      client.removeQueries({ type: 'inactive' })
      presentKey(good, role)
      void client.invalidateQueries()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (given !== '' && !wrong && !signIn.isPending) signIn.mutate(given)
  }
  const refusal = signIn.error ? messageOf(signIn.error) : undefined
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <h1 className="text-[1.3rem] font-semibold">Accord</h1>
      <p role="status" className="text-muted">
        {reason}
        {kept ? ' Your unsaved changes are still in the page.' : null}
      </p>
      <Field label="API key" hint="Kept for this tab only." error={wrong ? NO_KEY : refusal}>
        {(ids) => (
          <Input
            {...ids}
            type="password"
            autoFocus
            value={key}
            placeholder="accord_…"
            onChange={(event) => {
              setKey(event.target.value)
              signIn.reset()
            }}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" disabled={given === '' || wrong || signIn.isPending}>
        Sign in
      </Button>
      <div className="flex flex-col gap-1 text-muted">
        An admin can create a key with
        <Command text="accord keys create --role viewer --key-file admin.key" />
      </div>
    </form>
  )
}
