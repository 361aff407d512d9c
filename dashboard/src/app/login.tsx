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
 * Asks for a key in a dialog that covers the page and other dialogs. The page below stays mounted, so that typed text is
 * kept.
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

const INVALID_KEY = 'Keys are printable ASCII without spaces. Copy the whole key again.'
const RUNNER_KEY = 'This is a runner key, which cannot open the dashboard. Use a viewer, caller or admin key.'

function Form({ reason }: { reason: string }) {
  const client = useQueryClient()
  const hasUnsaved = useObservable(unsaved) > 0
  const [key, setKey] = useState('')
  const entered = key.trim()
  const invalid = entered !== '' && !isKey(entered)
  const signIn = useMutation({
    mutationFn: async (entered: string) => {
      const role = await roleOf(entered)
      if (role === 'runner') throw new Error(RUNNER_KEY)
      return role
    },
    onSuccess: (role, validKey) => {
      // Drop data that was loaded with another key, and refetch what is on the page.
      client.removeQueries({ type: 'inactive' })
      presentKey(validKey, role)
      void client.invalidateQueries()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (entered !== '' && !invalid && !signIn.isPending) signIn.mutate(entered)
  }
  const refusal = signIn.error ? messageOf(signIn.error) : undefined
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <h1 className="text-[1.3rem] font-semibold">Accord</h1>
      <p role="status" className="text-muted">
        {reason}
        {hasUnsaved ? ' Your unsaved changes are still in the page.' : null}
      </p>
      <Field label="API key" hint="Kept for this tab only." error={invalid ? INVALID_KEY : refusal}>
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
      <Button type="submit" variant="primary" disabled={entered === '' || invalid || signIn.isPending}>
        Sign in
      </Button>
      <div className="flex flex-col gap-1 text-muted">
        An admin can create a key with
        <Command text="accord keys create --role viewer --key-file admin.key" />
      </div>
    </form>
  )
}
