import { ApiError, messageOf } from '@/api'
import { CopyButton } from '@/components/command'
import { Conflict, Gone, Notice, Problems, problemsIn } from '@/components/editing'
import { Button } from '@/components/ui'
import { isMap } from '@/lib/lossless'
import type { Workflow } from './api'
import { textOf } from './document'
import { useDraft } from './draft'
import { fromParts, partsOf, tidied } from './model'
import type { Saving } from './use-saving'

interface Props {
  base: Workflow | null
  saving: Saving
}

/** What stands in the way of saving, or happened while somebody drew. */
export function Notices({ base, saving }: Props) {
  const draft = useDraft()
  return (
    <>
      {draft.mistake === null ? null : (
        <Notice tone="warning">
          <p>The YAML cannot be read: {draft.mistake.message}. The graph shows what it said before.</p>
        </Notice>
      )}
      {draft.unread.problems.length > 0 ? (
        <Notice tone="warning">
          <p className="[overflow-wrap:anywhere]">This cannot be saved yet: {draft.unread.problems.join('; ')}</p>
        </Notice>
      ) : null}
      {saving.isNewer && base !== null ? (
        <Notice tone="warning">
          <p>{base.view.summary.name} was changed elsewhere while you worked on it. Saving will show you both, and ask.</p>
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
          onCreate={() => saving.save.mutate(draft.document)}
        />
      ) : null}
      {saving.refusal ? <Refused error={saving.refusal} /> : null}
    </>
  )
}

function Refused({ error }: { error: Error }) {
  const { text } = useDraft()
  if (error instanceof ApiError && error.error === 'WorkflowReadOnly') {
    return (
      <Notice tone="danger">
        <p className="font-medium">It cannot be saved here.</p>
        <p className="break-words">{error.message}</p>
        <p className="flex flex-wrap items-center gap-1 text-ink">
          Nothing is lost: what you have is still in this page. Take the YAML along and put it in the file by hand:
          <CopyButton text={text} label="Copy the YAML" />
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

/** Shown when somebody else saved meanwhile. */
export function ConflictDialog({ base, saving }: Props) {
  const draft = useDraft()
  const { save, stored } = saving
  if (!saving.conflicts || base === null || stored === null || !isMap(base.document) || !isMap(stored.document)) return null
  const mine = partsOf(tidied(draft.document))
  return (
    <Conflict
      name={base.view.summary.name}
      base={partsOf(base.document)}
      mine={mine}
      theirs={partsOf(stored.document)}
      onClose={() => save.reset()}
      onTakeTheirs={() => saving.taken(stored)}
      onGoOn={(parts) => {
        // From here on, what they saved is what is built upon. What is only mine stays in my words.
        saving.setBase(stored)
        if (parts !== mine) draft.edit(() => textOf(fromParts(parts)))
        save.reset()
      }}
    />
  )
}
