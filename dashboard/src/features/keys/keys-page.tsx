import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type Api, messageOf } from '@/api'
import { Page } from '@/components/page'
import { OnlyWho } from '@/components/read-only'
import { Answer, Empty } from '@/components/states'
import { Ago, useNow } from '@/components/time'
import { Badge, Button, Card, Confirm } from '@/components/ui'
import { moment } from '@/lib/format'
import { plain } from '@/lib/inert'
import { keysQuery, useDeleteKey } from './api'
import { NewKey } from './new-key'

export function KeysPage() {
  const query = useQuery(keysQuery())
  const [creating, setCreating] = useState(false)
  const [removing, setRemoving] = useState<Api.KeyView | null>(null)
  return (
    <Page
      title="Keys"
      lead="API keys. A key is shown once and stored as a hash."
      actions={
        <OnlyWho may="administers">
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Plus aria-hidden /> Create key
          </Button>
        </OnlyWho>
      }
    >
      <Card>
        <Answer query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No API keys: anyone on this machine is admin" command="accord keys create --role admin">
                Once a key exists, every request needs one, including this page. Create an admin key first:
              </Empty>
            ) : (
              <ul className="divide-y">
                {items.map((key) => (
                  <li key={key.key_id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
                    <span className="min-w-32 font-medium">{plain(key.name) || '(unnamed)'}</span>
                    <Badge tone={key.role === 'admin' ? 'warning' : 'neutral'}>{key.role}</Badge>
                    <code className="flex-1 text-muted [overflow-wrap:anywhere]">{key.key_id}</code>
                    <span className="text-muted">
                      created <Ago at={key.created_at} />
                    </span>
                    <span className="text-muted">
                      {key.last_used_at ? <>last used <Ago at={key.last_used_at} /></> : 'never used'}
                    </span>
                    <Expiry at={key.expires_at} />
                    <Button
                      variant="ghost"
                      size="icon"
                      aria-label={`Remove the key ${plain(key.name) || key.key_id}`}
                      onClick={() => setRemoving(key)}
                    >
                      <Trash2 aria-hidden />
                    </Button>
                  </li>
                ))}
              </ul>
            )
          }
        </Answer>
      </Card>
      <NewKey open={creating} onClose={() => setCreating(false)} first={query.data?.items.length === 0} />
      <Remove target={removing} onClose={() => setRemoving(null)} />
    </Page>
  )
}

/** When a key expires. */
function Expiry({ at }: { at: string | null | undefined }) {
  const now = useNow()
  if (!at) return <span className="text-muted">never expires</span>
  const expired = Date.parse(at) <= now
  return (
    <span className={expired ? 'text-danger' : 'text-muted'}>
      {expired ? 'expired' : 'expires'} <time dateTime={at}>{moment(at)}</time>
    </span>
  )
}

function Remove({ target, onClose }: { target: Api.KeyView | null; onClose: () => void }) {
  const remove = useDeleteKey()
  return (
    <Confirm
      open={target !== null}
      onClose={onClose}
      title="Remove this key?"
      confirmLabel="Remove"
      busy={remove.isPending}
      error={remove.error ? messageOf(remove.error) : null}
      onConfirm={() => target && remove.mutate(target.key_id, { onSuccess: onClose })}
    >
      {plain(target?.name ?? '')} ({target?.role}) stops working immediately. Clients that use it are locked out.
    </Confirm>
  )
}
