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

interface Situation {
  draft: Draft
  /** What the draft began with. */
  base: Workflow | null
  setBase: (workflow: Workflow) => void
  /** What the server has now, as far as is known. */
  stored: Workflow | null
  /** Whether the server has it no more. */
  gone: boolean
}

/** Saving and removing, with an eye on what others did meanwhile. */
export function useSaving({ draft, base, setBase, stored, gone: isGone }: Situation) {
  const client = useQueryClient()
  const navigate = useNavigate()
  /** What is stored is what is shown from now on; undoing leads back. */
  const taken = (workflow: Workflow) => {
    setBase(workflow)
    draft.beginAnew(textOf(workflow.document))
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
      // It is under way until the new page is there, so that nothing is drawn in the old one.
      if (base === null) return navigate({ to: '/workflows/$name', params: { name }, search: ({ as, node, edge }) => ({ as, node, edge }), ignoreBlocker: true })
      // The text stays as it is written here, with its comments.
      setBase(workflow)
    },
    // What stands there now is needed to say what the difference is, or that there is nothing any more.
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
    // Nobody changed anything here: the newer one is simply shown.
    if (follows && stored !== null) taken(stored)
  })
  const conflicts = isNewer && isConflict(save.error) && isMap(base.document) && isMap(stored.document)
  const mended = isAboutSent(save.error) && save.variables !== draft.document
  return {
    save,
    remove,
    stored,
    gone,
    /** Whether what is on the page can be sent. */
    ready: !save.isPending && draft.mistake === null && draft.unread.problems.length === 0,
    isNewer: isNewer && draft.dirty,
    /** Both changes are to be looked at. */
    conflicts,
    /** Why saving failed, where nothing else says it. */
    refusal: conflicts || (gone && isConflict(save.error)) || mended ? null : save.error,
    taken,
    setBase,
  }
}

export type Saving = ReturnType<typeof useSaving>
