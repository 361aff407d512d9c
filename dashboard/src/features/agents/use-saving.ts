import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queryKeys } from '@/api'
import { isAboutSent, isConflict } from '@/components/editing'
import { type JsonMap, isMap } from '@/lib/lossless'
import { type Agent, agentQuery, createAgent, deleteAgent, saveAgent } from './api'
import type { Draft } from './draft'
import { tidied } from './model'

interface Situation {
  draft: Draft
  /** What the draft began with. */
  base: Agent | null
  setBase: (agent: Agent) => void
  /** What the server has now, as far as is known. */
  stored: Agent | null
  /** Whether the server has it no more. */
  gone: boolean
}

/** Saving and removing, with an eye on what others did meanwhile. */
export function useSaving({ draft, base, setBase, stored, gone: isGone }: Situation) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const taken = (agent: Agent) => {
    setBase(agent)
    if (isMap(agent.blueprint)) draft.beginAnew(agent.blueprint)
    save.reset()
  }
  const save = useMutation({
    mutationFn: (blueprint: JsonMap) =>
      base === null || isGone ? createAgent(tidied(blueprint)) : saveAgent(base.view.summary.name, tidied(blueprint), base.view.hash),
    onSuccess: (agent, sent) => {
      const { name } = agent.view.summary
      client.setQueryData(queryKeys.agents.one(name), agent)
      void client.invalidateQueries({ queryKey: queryKeys.agents.all, refetchType: 'active' })
      // It is under way until the new page is there, so that nothing is typed into the old one.
      if (base === null) return navigate({ to: '/agents/$name', params: { name }, search: (before) => before, ignoreBlocker: true })
      setBase(agent)
      if (isMap(agent.blueprint)) draft.settle(sent, agent.blueprint)
    },
    // What stands there now is needed to say what the difference is, or that there is nothing any more.
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
    // Nobody typed anything here: the newer one is simply shown.
    setBase(stored)
    if (isMap(stored.blueprint)) draft.replace(stored.blueprint)
  })
  const conflicts = isNewer && isConflict(save.error)
  const mended = isAboutSent(save.error) && save.variables !== draft.blueprint
  return {
    save,
    remove,
    stored,
    gone,
    /** Whether what is on the page can be sent. */
    ready: !save.isPending && draft.unread.problems.length === 0,
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
