import { useNavigate } from '@tanstack/react-router'
import { queryKeys } from '@/api'
import { type Versions, useSaving as useSavingOf } from '@/components/editing'
import { type JsonMap, isMap } from '@/lib/lossless'
import { type Workflow, createWorkflow, deleteWorkflow, saveWorkflow } from './api'
import { textOf } from './document'
import type { Draft } from './draft'
import { tidied } from './model'

const WORKFLOWS = {
  create: (document: JsonMap) => createWorkflow(tidied(document)),
  save: (name: string, document: JsonMap, hash: string) => saveWorkflow(name, tidied(document), hash),
  remove: deleteWorkflow,
  one: queryKeys.workflows.one,
  list: { queryKey: queryKeys.workflows.list() },
}

/** Saves and deletes a workflow, and detects changes made elsewhere. */
export function useSaving({ draft, ...versions }: Versions<Workflow> & { draft: Draft }) {
  const { base, setBase, stored } = versions
  const navigate = useNavigate()
  /** Replaces the draft with a stored version. Can be undone. */
  const resetTo = (workflow: Workflow) => {
    setBase(workflow)
    draft.reset(textOf(workflow.document))
    saving.save.reset()
  }
  const saving = useSavingOf(WORKFLOWS, {
    ...versions,
    draft: { value: draft.document, dirty: draft.dirty, complete: draft.mistake === null && draft.unread.problems.length === 0 },
    comparable: isMap(base?.document) && isMap(stored?.document),
    follow: resetTo,
    // The text is kept, with its comments.
    saved: () => undefined,
    open: (name) =>
      navigate({ to: '/workflows/$name', params: { name }, search: ({ as, node, edge }) => ({ as, node, edge }), ignoreBlocker: true }),
    leave: () => navigate({ to: '/workflows', ignoreBlocker: true }),
  })
  return { ...saving, resetTo }
}

export type Saving = ReturnType<typeof useSaving>
