import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queryKeys } from '@/api'
import { isConflict } from '@/components/editing'
import type { JsonMap } from '@/lib/lossless'
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
}

/** Saving and removing, with an eye on what others did meanwhile. */
export function useSaving({ draft, base, setBase, stored }: Situation) {
  const client = useQueryClient()
  const navigate = useNavigate()
  /** What is stored is what is shown from now on; undoing leads back. */
  const taken = (workflow: Workflow) => {
    setBase(workflow)
    draft.edit(() => textOf(workflow.document))
    save.reset()
  }
  const save = useMutation({
    mutationFn: (document: JsonMap) =>
      base === null ? createWorkflow(tidied(document)) : saveWorkflow(base.view.summary.name, tidied(document), base.view.hash),
    onSuccess: (workflow) => {
      const { name } = workflow.view.summary
      // The text stays as it is written here, with its comments.
      setBase(workflow)
      client.setQueryData(queryKeys.workflows.one(name), workflow)
      void client.invalidateQueries({ queryKey: queryKeys.workflows.list() })
      if (base !== null) return
      void navigate({ to: '/workflows/$name', params: { name }, search: ({ as, node, edge }) => ({ as, node, edge }), ignoreBlocker: true })
    },
    onError: (error) => {
      // What stands there now is needed to say what the difference is.
      if (isConflict(error) && base !== null) void client.invalidateQueries({ queryKey: workflowQuery(base.view.summary.name).queryKey })
    },
  })
  const remove = useMutation({
    mutationFn: (workflow: Workflow) => deleteWorkflow(workflow.view.summary.name, workflow.view.hash),
    onSuccess: () => {
      void navigate({ to: '/workflows', ignoreBlocker: true })
      client.removeQueries({ queryKey: queryKeys.workflows.one(base?.view.summary.name ?? '') })
      void client.invalidateQueries({ queryKey: queryKeys.workflows.list() })
    },
  })
  const isNewer = stored !== null && base !== null && stored.view.hash !== base.view.hash
  const follows = isNewer && !draft.dirty && !save.isPending
  useEffect(() => {
    // Nobody changed anything here: the newer one is simply shown.
    if (follows && stored !== null) taken(stored)
  })
  return { save, remove, stored, isNewer: isNewer && draft.dirty, isConflict: isConflict(save.error), taken, setBase }
}

export type Saving = ReturnType<typeof useSaving>
