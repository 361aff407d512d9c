import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { isKey, presentKey } from '@/api/access'
import { Command } from '@/components/command'
import { Button, Card, Field, Input } from '@/components/ui'

/** Asks for a key. It stays in memory: after a reload it is asked for again. */
export function Login({ reason }: { reason: string }) {
  const client = useQueryClient()
  const [key, setKey] = useState('')
  const given = key.trim()
  const wrong = given !== '' && !isKey(given)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (given === '' || wrong) return
    // What another key has seen is not this one's.
    client.clear()
    presentKey(given)
  }
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <Card className="w-full max-w-md p-6">
        <form onSubmit={submit} className="flex flex-col gap-4">
          <h1 className="text-[1.3rem] font-semibold">Accord</h1>
          <p role="status" className="text-muted">
            {reason}
          </p>
          <Field
            label="API key"
            hint="Kept in memory only; a reload asks for it again."
            error={wrong ? 'No key has spaces, or other characters than letters, digits and signs of ASCII: copy it again, as a whole.' : undefined}
          >
            {(ids) => (
              <Input
                {...ids}
                type="password"
                autoFocus
                value={key}
                placeholder="accord_…"
                onChange={(event) => setKey(event.target.value)}
              />
            )}
          </Field>
          <Button type="submit" variant="primary" disabled={given === '' || wrong}>
            Sign in
          </Button>
          <div className="flex flex-col gap-1 text-muted">
            Where the coordinator runs, make one with
            <Command text="accord keys create --role viewer" />
          </div>
        </form>
      </Card>
    </main>
  )
}
