import { useNavigate } from '@tanstack/react-router'
import { queryKeys } from '@/api'
import { type Versions, useSaving as useSavingOf } from '@/components/editing'
import { type JsonMap, isMap } from '@/lib/lossless'
import { type Agent, createAgent, deleteAgent, saveAgent } from './api'
import type { Draft } from './draft'
import { tidied } from './model'

const AGENTS = {
  create: (blueprint: JsonMap) => createAgent(tidied(blueprint)),
  save: (name: string, blueprint: JsonMap, hash: string) => saveAgent(name, tidied(blueprint), hash),
  remove: deleteAgent,
  one: queryKeys.agents.one,
  list: { queryKey: queryKeys.agents.all, refetchType: 'active' as const },
}

/** Saves and deletes an agent, and detects changes made elsewhere. */
export function useSaving({ draft, ...versions }: Versions<Agent> & { draft: Draft }) {
  const navigate = useNavigate()
  const saving = useSavingOf(AGENTS, {
    ...versions,
    draft: { value: draft.blueprint, dirty: draft.dirty, complete: draft.unread.problems.length === 0 },
    comparable: true,
    follow: (agent) => {
      versions.setBase(agent)
      if (isMap(agent.blueprint)) draft.replace(agent.blueprint)
    },
    saved: (agent, sent) => {
      if (isMap(agent.blueprint)) draft.settle(sent, agent.blueprint)
    },
    open: (name) => navigate({ to: '/agents/$name', params: { name }, search: (before) => before, ignoreBlocker: true }),
    leave: () => navigate({ to: '/agents', ignoreBlocker: true }),
  })
  const takeTheirs = (agent: Agent) => {
    versions.setBase(agent)
    if (isMap(agent.blueprint)) draft.reset(agent.blueprint)
    saving.save.reset()
  }
  return { ...saving, takeTheirs }
}

export type Saving = ReturnType<typeof useSaving>
