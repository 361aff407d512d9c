import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Api, api, body, queryKeys, text } from '@/api'
import { REFETCH_MS, agentsQuery, contractQuery } from '@/api/queries'
import { type JsonMap, write } from '@/lib/lossless'
import { acceptsPrompt } from './model'
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
  queryOptions({ queryKey: queryKeys.sessions.one(id), queryFn: () => fetchSession(id), refetchInterval: REFETCH_MS })

/** The maximum number of children shown; the page links to the full list. */
const MAX_CHILDREN = 200

export const childrenQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.sessions.children(id),
    queryFn: () => body(api.GET('/sessions/{id}/children', { params: { path: { id }, query: { limit: MAX_CHILDREN } } })),
  })

/** Fetched as text, so that the numbers of the result keep their digits. */
export const runTextQuery = (id: string) =>
  queryOptions({ queryKey: [...queryKeys.runs.one(id), 'text'], queryFn: () => text(`/runs/${encodeURIComponent(id)}`) })

export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.runs.attempts(id),
    queryFn: () => body(api.GET('/runs/{id}/attempts', { params: { path: { id } } })),
  })

/** The steps of a run. There is no event for every step, so they are refetched while the run is active. */
export const stepsQuery = (id: string, active: boolean) =>
  queryOptions({
    queryKey: [...queryKeys.runs.one(id), 'steps'],
    queryFn: () => body(api.GET('/runs/{id}/steps', { params: { path: { id } } })),
    refetchInterval: active ? STEPS_MS : false,
  })

const STEPS_MS = 3_000

/** The system prompt of an agent; empty if it has none. */
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

/** Only the newest workflow runs are searched. Sessions of older ones do not link back to them. */
const MAX_WORKFLOW_RUNS = 200

async function fetchOrigin(session: Api.SessionView, hint: string | undefined): Promise<Origin | null> {
  const ids = hint === undefined ? await fetchCandidates(session) : [hint]
  for (const id of ids) {
    const found = originIn(await body(api.GET('/workflow-runs/{id}', { params: { path: { id } } })), session.session_id)
    if (found !== null) return found
  }
  return null
}

async function fetchCandidates(session: Api.SessionView): Promise<string[]> {
  const { items } = await body(api.GET('/workflow-runs', { params: { query: { limit: MAX_WORKFLOW_RUNS } } }))
  return candidatesOf(session, items)
}

/** The workflow run that a session belongs to, if any. `hint` is the workflow run from which the user followed a link. */
export const originQuery = (session: Api.SessionView, hint: string | undefined) =>
  queryOptions({
    queryKey: queryKeys.sessions.origin(session.session_id),
    queryFn: () => fetchOrigin(session, hint),
    // A child session belongs to its parent instead.
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
 * Whether a session can be resumed; null while that is unknown. A procedural agent has no memory and gets the prompt as its
 * parameters, so its schema must accept a prompt. For agents that are not listed, such as inline agents of workflows, the
 * server decides.
 */
export function useResumable(agentName: string): boolean | null {
  const agents = useQuery(agentsQuery())
  const agent = agents.data?.items.find(({ name }) => name === agentName)
  const isCommand = agent?.type === 'procedural'
  const contract = useQuery({ ...contractQuery(agentName), enabled: isCommand && agent.has_parameters_schema })
  if (agents.isPending || contract.isLoading) return null
  return !isCommand || contract.data === undefined || acceptsPrompt(contract.data.parameters_schema)
}

export function useResumeSession(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (prompt: string) =>
      body(api.POST('/runs', { body: { type: 'resume_session', session_id: id, prompt } })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.sessions.one(id) }),
  })
}

/** Forks a run with changes. The body is serialized losslessly, so that the numbers of a schema keep their digits. */
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
