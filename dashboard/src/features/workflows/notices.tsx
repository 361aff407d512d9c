import { Conflict, Notice, Notices } from '@/components/editing'
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

export function WorkflowNotices({ base, saving }: Props) {
  const { mistake, unread, document, text } = useDraft()
  return (
    <>
      {mistake === null ? null : (
        <Notice tone="warning">
          <p>The YAML cannot be parsed: {mistake.message}. The graph shows the last valid version.</p>
        </Notice>
      )}
      <Notices
        base={base}
        unread={unread.problems}
        saving={saving}
        onTakeTheirs={() => saving.stored && saving.resetTo(saving.stored)}
        onCreate={() => saving.save.mutate(document)}
        written={{ name: 'YAML', text: () => text }}
      />
    </>
  )
}

/** Shown when somebody else saved the workflow first. */
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
      onTakeTheirs={() => saving.resetTo(stored)}
      onContinue={(parts) => {
        // The stored version is the new base. If only my changes are kept, the text stays as it is, with its comments.
        saving.setBase(stored)
        if (parts !== mine) draft.edit(() => textOf(fromParts(parts)))
        save.reset()
      }}
    />
  )
}
