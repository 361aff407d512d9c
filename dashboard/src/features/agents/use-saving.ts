import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queryKeys } from '@/api'
import { isAboutSent, isConflict } from '@/components/editing'
import { type JsonMap, isMap } from '@/lib/lossless'
import { type Agent, agentQuery, createAgent, deleteAgent, saveAgent } from './api'
import type { Draft } from './draft'
import { tidied } from './model'

interface Options {
  draft: Draft
  /** The stored version on which the draft is based. */
  base: Agent | null
  setBase: (agent: Agent) => void
  /** The latest known stored version. */
  stored: Agent | null
  /** Whether it was deleted elsewhere. */
  gone: boolean
}

/** Saves and deletes an agent, and detects changes made elsewhere. */
export function useSaving({ draft, base, setBase, stored, gone: isGone }: Options) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const takeTheirs = (agent: Agent) => {
    setBase(agent)
    if (isMap(agent.blueprint)) draft.reset(agent.blueprint)
    save.reset()
  }
  const save = useMutation({
    mutationFn: (blueprint: JsonMap) =>
      base === null || isGone ? createAgent(tidied(blueprint)) : saveAgent(base.view.summary.name, tidied(blueprint), base.view.hash),
    onSuccess: (agent, sent) => {
      const { name } = agent.view.summary
      client.setQueryData(queryKeys.agents.one(name), agent)
      void client.invalidateQueries({ queryKey: queryKeys.agents.all, refetchType: 'active' })
      // Stay pending until the new page is shown, so that nothing is typed into the old one.
      if (base === null) return navigate({ to: '/agents/$name', params: { name }, search: (before) => before, ignoreBlocker: true })
      setBase(agent)
      if (isMap(agent.blueprint)) draft.settle(sent, agent.blueprint)
    },
    // Load the stored version, to show the difference or that it was deleted.
    onError: (error) =>
      isConflict(error) && base !== null
        ? client.invalidateQueries({ queryKey: agentQuery(base.view.summary.name).queryKey })
        : undefined,
  })
  const remove = useMutation({
    mutationFn: (agent: Agent) => deleteAgent(agent.view.summary.name, agent.view.hash),
    onSuccess: () => {
      void navigate({ to: '/agents', ignoreBlocker: true })
      client.removeQueries({ queryKey: queryKeys.agents.one(base?.view.summary.name ?? '') })
      void client.invalidateQueries({ queryKey: queryKeys.agents.all })
    },
  })
  const gone = isGone && !remove.isSuccess
  const isNewer = !gone && stored !== null && base !== null && stored.view.hash !== base.view.hash
  const follows = isNewer && !draft.dirty && !save.isPending
  useEffect(() => {
    if (!follows || stored === null) return
    // There are no local changes, so show the newer version.
    setBase(stored)
    if (isMap(stored.blueprint)) draft.replace(stored.blueprint)
  })
  const conflicts = isNewer && isConflict(save.error)
  const outdated = isAboutSent(save.error) && save.variables !== draft.blueprint
  return {
    save,
    remove,
    stored,
    gone,
    /** Whether the page's version can be saved. */
    ready: !save.isPending && draft.unread.problems.length === 0,
    isNewer: isNewer && draft.dirty,
    /** Whether to show the conflict dialog. */
    conflicts,
    /** Why saving failed, unless it is shown elsewhere. */
    refusal: conflicts || (gone && isConflict(save.error)) || outdated ? null : save.error,
    takeTheirs,
    setBase,
  }
}

export type Saving = ReturnType<typeof useSaving>
