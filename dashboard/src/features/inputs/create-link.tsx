import { useMutation } from '@tanstack/react-query'
import { Link2 } from 'lucide-react'
import { messageOf } from '@/api'
import { CopyButton } from '@/components/command'
import { Button, Field, Input } from '@/components/ui'
import { createLink } from './api'
import { linkAddress } from './model'

/** Creates a one-time link for answering without an API key. */
export function CreateLink({ id }: { id: string }) {
  const create = useMutation({ mutationFn: () => createLink(id) })
  const address = create.data ? linkAddress(window.location.origin, import.meta.env.BASE_URL, create.data.token) : null
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <Button disabled={create.isPending} onClick={() => create.mutate()}>
          <Link2 aria-hidden /> Create link
        </Button>
        <p className="text-muted">Answers this request once, without an API key. A new link replaces the previous one.</p>
      </div>
      {create.error ? (
        <p role="alert" className="text-danger">
          {messageOf(create.error)}
        </p>
      ) : null}
      {address === null ? null : (
        <Field label="Link" hint="Shown only once. Anyone who has it can answer.">
          {(ids) => (
            <div className="flex items-center gap-1">
              <Input {...ids} readOnly className="font-mono" value={address} onFocus={(event) => event.target.select()} />
              <CopyButton text={address} label="Copy the link" />
            </div>
          )}
        </Field>
      )}
    </div>
  )
}
