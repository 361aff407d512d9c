import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queryKeys } from '@/api'
import { isAboutSent, isConflict } from '@/components/editing'
import { type JsonMap, isMap } from '@/lib/lossless'
import { type Workflow, createWorkflow, deleteWorkflow, saveWorkflow, workflowQuery } from './api'
import { textOf } from './document'
import type { Draft } from './draft'
import { tidied } from './model'

interface Options {
  draft: Draft
  /** The stored version on which the draft is based. */
  base: Workflow | null
  setBase: (workflow: Workflow) => void
  /** The latest known stored version. */
  stored: Workflow | null
  /** Whether it was deleted elsewhere. */
  gone: boolean
}

/** Saves and deletes a workflow, and detects changes made elsewhere. */
export function useSaving({ draft, base, setBase, stored, gone: isGone }: Options) {
  const client = useQueryClient()
  const navigate = useNavigate()
  /** Replaces the draft with a stored version. Can be undone. */
  const resetTo = (workflow: Workflow) => {
    setBase(workflow)
    draft.reset(textOf(workflow.document))
    save.reset()
  }
  const save = useMutation({
    mutationFn: (document: JsonMap) =>
      base === null || isGone
        ? createWorkflow(tidied(document))
        : saveWorkflow(base.view.summary.name, tidied(document), base.view.hash),
    onSuccess: (workflow) => {
      const { name } = workflow.view.summary
      client.setQueryData(queryKeys.workflows.one(name), workflow)
      void client.invalidateQueries({ queryKey: queryKeys.workflows.list() })
      // Stay pending until the new page is shown, so that nothing is drawn in the old one.
      if (base === null) return navigate({ to: '/workflows/$name', params: { name }, search: ({ as, node, edge }) => ({ as, node, edge }), ignoreBlocker: true })
      // The text is kept, with its comments.
      setBase(workflow)
    },
    // Load the stored version, to show the difference or that it was deleted.
    onError: (error) =>
      isConflict(error) && base !== null
        ? client.invalidateQueries({ queryKey: workflowQuery(base.view.summary.name).queryKey })
        : undefined,
  })
  const remove = useMutation({
    mutationFn: (workflow: Workflow) => deleteWorkflow(workflow.view.summary.name, workflow.view.hash),
    onSuccess: () => {
      void navigate({ to: '/workflows', ignoreBlocker: true })
      client.removeQueries({ queryKey: queryKeys.workflows.one(base?.view.summary.name ?? '') })
      void client.invalidateQueries({ queryKey: queryKeys.workflows.list() })
    },
  })
  const gone = isGone && !remove.isSuccess
  const isNewer = !gone && stored !== null && base !== null && stored.view.hash !== base.view.hash
  const follows = isNewer && !draft.dirty && !save.isPending
  useEffect(() => {
    // There are no local changes, so show the newer version.
    if (follows && stored !== null) resetTo(stored)
  })
  const conflicts = isNewer && isConflict(save.error) && isMap(base.document) && isMap(stored.document)
  const outdated = isAboutSent(save.error) && save.variables !== draft.document
  return {
    save,
    remove,
    stored,
    gone,
    /** Whether the page's version can be saved. */
    ready: !save.isPending && draft.mistake === null && draft.unread.problems.length === 0,
    isNewer: isNewer && draft.dirty,
    /** Whether to show the conflict dialog. */
    conflicts,
    /** Why saving failed, unless it is shown elsewhere. */
    refusal: conflicts || (gone && isConflict(save.error)) || outdated ? null : save.error,
    resetTo,
    setBase,
  }
}

export type Saving = ReturnType<typeof useSaving>
