import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queryKeys } from '@/api'
import { isConflict } from '@/components/editing'
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
}

/** Saving and removing, with an eye on what others did meanwhile. */
export function useSaving({ draft, base, setBase, stored }: Situation) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const taken = (agent: Agent) => {
    setBase(agent)
    if (isMap(agent.blueprint)) draft.replace(agent.blueprint)
  }
  const kept = (agent: Agent) => {
    client.setQueryData(queryKeys.agents.one(agent.view.summary.name), agent)
    void client.invalidateQueries({ queryKey: queryKeys.agents.all, refetchType: 'active' })
    taken(agent)
  }
  const save = useMutation({
    mutationFn: (blueprint: JsonMap) =>
      base === null ? createAgent(tidied(blueprint)) : saveAgent(base.view.summary.name, tidied(blueprint), base.view.hash),
    onSuccess: (agent) => {
      kept(agent)
      if (base !== null) return
      const { name } = agent.view.summary
      void navigate({ to: '/agents/$name', params: { name }, search: (before) => before, ignoreBlocker: true })
    },
    onError: (error) => {
      // What stands there now is needed to say what the difference is.
      if (isConflict(error) && base !== null) void client.invalidateQueries({ queryKey: agentQuery(base.view.summary.name).queryKey })
    },
  })
  const remove = useMutation({
    mutationFn: (agent: Agent) => deleteAgent(agent.view.summary.name, agent.view.hash),
    onSuccess: () => {
      void navigate({ to: '/agents', ignoreBlocker: true })
      client.removeQueries({ queryKey: queryKeys.agents.one(base?.view.summary.name ?? '') })
      void client.invalidateQueries({ queryKey: queryKeys.agents.all })
    },
  })
  const isNewer = stored !== null && base !== null && stored.view.hash !== base.view.hash
  const follows = isNewer && !draft.dirty && !save.isPending
  useEffect(() => {
    // Nobody typed anything here: the newer one is simply shown.
    if (follows && stored !== null) taken(stored)
  })
  return { save, remove, stored, isNewer: isNewer && draft.dirty, isConflict: isConflict(save.error), taken, kept, setBase }
}

export type Saving = ReturnType<typeof useSaving>
