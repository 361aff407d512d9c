import { ApiError, messageOf } from '@/api'
import { CopyButton } from '@/components/command'
import { Gone, Notice, Problems, problemsIn } from '@/components/editing'
import { Button } from '@/components/ui'
import { write } from '@/lib/lossless'
import type { Agent } from './api'
import { useDraft } from './draft'
import { tidied } from './model'
import type { Saving } from './use-saving'

/** What stands in the way of saving, or happened while somebody typed. */
export function Notices({ base, saving }: { base: Agent | null; saving: Saving }) {
  const draft = useDraft()
  return (
    <>
      {draft.unread.problems.length > 0 ? (
        <Notice tone="warning">
          <p className="[overflow-wrap:anywhere]">This cannot be saved yet: {draft.unread.problems.join('; ')}</p>
        </Notice>
      ) : null}
      {saving.isNewer && base !== null ? (
        <Notice tone="warning">
          <p>
            {base.view.summary.name} was changed elsewhere while you worked on it. Saving will show you both, and ask.
          </p>
          <Button size="small" onClick={() => saving.stored && saving.taken(saving.stored)}>
            Take theirs now
          </Button>
        </Notice>
      ) : null}
      {saving.gone && base !== null ? (
        <Gone
          name={base.view.summary.name}
          wasFile={Boolean(base.view.file)}
          ready={saving.ready}
          onCreate={() => saving.save.mutate(draft.blueprint)}
        />
      ) : null}
      {saving.refusal ? <Refused error={saving.refusal} /> : null}
    </>
  )
}

function Refused({ error }: { error: Error }) {
  const { blueprint } = useDraft()
  const name = error instanceof ApiError ? error.error : ''
  if (name === 'AgentReadOnly') {
    return (
      <Notice tone="danger">
        <p className="font-medium">It cannot be saved here.</p>
        <p className="break-words">{error.message}</p>
        <p className="flex flex-wrap items-center gap-1 text-ink">
          Nothing is lost: what you have is still in this page. Take the blueprint along and put it in the file by hand:
          <CopyButton text={write(tidied(blueprint), 2)} label="Copy the blueprint" />
        </p>
      </Notice>
    )
  }
  return (
    <Notice tone="danger">
      <p className="break-words">{messageOf(error)}</p>
      <Problems problems={problemsIn(error)} />
    </Notice>
  )
}
