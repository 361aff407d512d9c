import { Conflict } from '@/components/editing'
import type { JsonMap } from '@/lib/lossless'
import type { Agent } from './api'
import { useDraft } from './draft'
import { tidied } from './model'
import type { Saving } from './use-saving'

/** Shown when somebody else saved the agent first. */
export function ConflictDialog({ base, saving }: { base: Agent | null; saving: Saving }) {
  const draft = useDraft()
  const { save, stored } = saving
  if (!saving.conflicts || base === null || stored === null) return null
  const continueWith = (blueprint: JsonMap) => {
    // The stored version is the new base.
    saving.setBase(stored)
    draft.replace(blueprint)
    save.reset()
  }
  return (
    <Conflict
      name={base.view.summary.name}
      base={base.blueprint}
      mine={tidied(draft.blueprint)}
      theirs={stored.blueprint}
      onClose={() => save.reset()}
      onTakeTheirs={() => saving.takeTheirs(stored)}
      onContinue={continueWith}
    />
  )
}
