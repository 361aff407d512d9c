import { Notices } from '@/components/editing'
import { write } from '@/lib/lossless'
import type { Agent } from './api'
import { useDraft } from './draft'
import { tidied } from './model'
import type { Saving } from './use-saving'

export function AgentNotices({ base, saving }: { base: Agent | null; saving: Saving }) {
  const { unread, blueprint } = useDraft()
  return (
    <Notices
      base={base}
      unread={unread.problems}
      saving={saving}
      onTakeTheirs={() => saving.stored && saving.takeTheirs(saving.stored)}
      onCreate={() => saving.save.mutate(blueprint)}
      written={{ name: 'blueprint', text: () => write(tidied(blueprint), 2) }}
    />
  )
}
