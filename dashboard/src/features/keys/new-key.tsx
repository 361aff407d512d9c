import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Api, messageOf, queryKeys } from '@/api'
import { presentKey } from '@/api/access'
import { CopyButton } from '@/components/command'
import { Button, Dialog, Field, Input, Select } from '@/components/ui'
import { useCreateKey } from './api'

const ROLES: Record<Api.Role, string> = {
  admin: 'everything',
  caller: 'reads, starts and stops runs',
  viewer: 'reads',
  runner: 'claims runs and reports on them',
}
const NAMES = Object.keys(ROLES) as Api.Role[]

interface Props {
  open: boolean
  onClose: () => void
  /** Whether it is the first key. Once it exists, this page needs a key too. */
  first: boolean
}

export function NewKey({ open, onClose, first }: Props) {
  const client = useQueryClient()
  const create = useCreateKey()
  const close = () => {
    create.reset()
    onClose()
    void client.invalidateQueries({ queryKey: queryKeys.keys.all })
  }
  return (
    <Dialog open={open} onClose={close} title={create.data ? 'Copy your new key' : 'Create key'}>
      {create.data ? <Created created={create.data} onClose={close} /> : <Form create={create} first={first} onClose={close} />}
    </Dialog>
  )
}

function Created({ created, onClose }: { created: Api.CreatedKey; onClose: () => void }) {
  return (
    <div className="flex flex-col gap-3">
      <p>Copy it now. It cannot be shown again.</p>
      <div className="flex items-center gap-1 rounded-md border bg-sunken py-1 pr-1 pl-3">
        <code className="flex-1 [overflow-wrap:anywhere]">{created.key}</code>
        <CopyButton text={created.key} label="Copy the key" />
      </div>
      <Button variant="primary" className="self-end" onClick={onClose}>
        I have copied it
      </Button>
    </div>
  )
}

interface FormProps {
  create: ReturnType<typeof useCreateKey>
  first: boolean
  onClose: () => void
}

function Form({ create, first, onClose }: FormProps) {
  const [role, setRole] = useState<Api.Role>(first ? 'admin' : 'caller')
  const [name, setName] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(
      { role, name },
      {
        // The page switches to the first admin key, because it would be locked out otherwise.
        onSuccess: (created) => {
          if (first && created.role === 'admin') presentKey(created.key, created.role)
        },
      },
    )
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {first ? (
        <p className="rounded-md bg-warning-soft px-3 py-2 text-warning">
          Once a key exists, every request needs one. Create an admin key first.
        </p>
      ) : null}
      <Field label="Role" hint={ROLES[role]}>
        {(ids) => (
          <Select
            {...ids}
            value={role}
            onChange={(event) => setRole(NAMES.find((known) => known === event.target.value) ?? 'viewer')}
          >
            {NAMES.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Name" hint="A label for this key." error={create.error ? messageOf(create.error) : undefined}>
        {(ids) => <Input {...ids} value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={create.isPending}>
          Create key
        </Button>
      </div>
    </form>
  )
}
