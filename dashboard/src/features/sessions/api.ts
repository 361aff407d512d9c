import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Api, api, body, queryKeys, text } from '@/api'
import { LOOK_AGAIN_MS, agentsQuery, contractQuery } from '@/api/queries'
import { type JsonMap, write } from '@/lib/lossless'
import { takesPrompt } from './model'
import { type Origin, candidatesOf, originIn } from './origin'

export interface SessionFilters {
  status?: Api.SessionStatus
  agent_name?: string
  parent_session_id?: string
  q?: string
  since?: string
  until?: string
}

export const fetchSessions = (filters: SessionFilters, limit: number, cursor?: string) =>
  body(api.GET('/sessions', { params: { query: { ...filters, limit, cursor } } }))

export const fetchSession = (id: string) => body(api.GET('/sessions/{id}', { params: { path: { id } } }))

export const sessionQuery = (id: string) =>
  queryOptions({ queryKey: queryKeys.sessions.one(id), queryFn: () => fetchSession(id), refetchInterval: LOOK_AGAIN_MS })

/** More children than one looks at; the page says where there are more. */
const CHILDREN = 200

export const childrenQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.sessions.children(id),
    queryFn: () => body(api.GET('/sessions/{id}/children', { params: { path: { id }, query: { limit: CHILDREN } } })),
  })

/** As text: the result's numbers stay as they were written. */
export const runTextQuery = (id: string) =>
  queryOptions({ queryKey: [...queryKeys.runs.one(id), 'text'], queryFn: () => text(`/runs/${encodeURIComponent(id)}`) })

export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.runs.attempts(id),
    queryFn: () => body(api.GET('/runs/{id}/attempts', { params: { path: { id } } })),
  })

/** What the run did so far. Nothing tells of every step, so it is looked up again while the run works. */
export const stepsQuery = (id: string, underWay: boolean) =>
  queryOptions({
    queryKey: [...queryKeys.runs.one(id), 'steps'],
    queryFn: () => body(api.GET('/runs/{id}/steps', { params: { path: { id } } })),
    refetchInterval: underWay ? STEPS_MS : false,
  })

const STEPS_MS = 3_000

/** The system prompt of an agent; empty where it has none, or is in no list. */
export const systemPromptQuery = (name: string) =>
  queryOptions({
    queryKey: [...queryKeys.agents.one(name), 'system prompt'],
    queryFn: async () => {
      const { blueprint } = await body(api.GET('/agents/{name}', { params: { path: { name } } }))
      const prompt = (blueprint as { system_prompt?: unknown } | null)?.system_prompt
      return typeof prompt === 'string' ? prompt : ''
    },
    retry: false,
  })

/** The newest workflow runs; a session of an older one is found from there, not from here. */
const WORKFLOW_RUNS = 200

async function fetchOrigin(session: Api.SessionView, hint: string | undefined): Promise<Origin | null> {
  const ids = hint === undefined ? await fetchCandidates(session) : [hint]
  for (const id of ids) {
    const found = originIn(await body(api.GET('/workflow-runs/{id}', { params: { path: { id } } })), session.session_id)
    if (found !== null) return found
  }
  return null
}

async function fetchCandidates(session: Api.SessionView): Promise<string[]> {
  const { items } = await body(api.GET('/workflow-runs', { params: { query: { limit: WORKFLOW_RUNS } } }))
  return candidatesOf(session, items)
}

/** The workflow run that a session belongs to, if any. `hint` is where somebody came from. */
export const originQuery = (session: Api.SessionView, hint: string | undefined) =>
  queryOptions({
    queryKey: queryKeys.sessions.origin(session.session_id),
    queryFn: () => fetchOrigin(session, hint),
    // A child's place is with its parent.
    enabled: !session.parent_session_id,
    // It never changes.
    staleTime: Infinity,
  })

export function useStopSession(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => body(api.POST('/sessions/{id}/stop', { params: { path: { id } } })),
    onSuccess: (session) => client.setQueryData(queryKeys.sessions.one(id), session),
  })
}

/**
 * Whether a session can be resumed; null while that is not known. A procedural agent remembers nothing and gets the prompt as
 * its parameters, so it must be one that takes them. Agents that are not listed, such as those of workflows, are judged by
 * the server.
 */
export function useResumable(agentName: string): boolean | null {
  const agents = useQuery(agentsQuery())
  const agent = agents.data?.items.find(({ name }) => name === agentName)
  const isCommand = agent?.type === 'procedural'
  const contract = useQuery({ ...contractQuery(agentName), enabled: isCommand && agent.has_parameters_schema })
  if (agents.isPending || contract.isLoading) return null
  return !isCommand || contract.data === undefined || takesPrompt(contract.data.parameters_schema)
}

export function useResumeSession(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (prompt: string) =>
      body(api.POST('/runs', { body: { type: 'resume_session', session_id: id, prompt } })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.sessions.one(id) }),
  })
}

/** What is different in a fork. Written by ourselves: the numbers of a schema stay as they were typed. */
export function useForkRun(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (changes: JsonMap) => {
      const sent = write(changes)
      const call = api.POST('/runs/{id}/fork', { params: { path: { id } }, body: { from_step: 0 }, bodySerializer: () => sent })
      return body(call)
    },
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.sessions.lists }),
  })
}

export function useRetryRun(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (changes: Api.RetryRun) => body(api.POST('/runs/{id}/retry', { params: { path: { id } }, body: changes })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.sessions.lists }),
  })
}

export function useDeleteSession(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => body(api.DELETE('/sessions/{id}', { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.sessions.lists }),
  })
}
