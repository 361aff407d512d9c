import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Api, ApiError, api, body, queryKeys, text, textByLink } from '@/api'
import { agentQuery, saveAgent } from '@/api/agents'
import type { Json } from '@/lib/lossless'
import { answerBody, withExample } from './model'

export const fetchInputs = (status: Api.InputStatus | undefined, limit: number, cursor?: string) =>
  body(api.GET('/inputs', { params: { query: { status, limit, cursor } } }))

export const fetchInput = (id: string) => body(api.GET('/inputs/{id}', { params: { path: { id } } }))

/** Fetched as text, so that numbers keep their digits. */
export const inputQuery = (id: string) =>
  queryOptions({ queryKey: queryKeys.inputs.one(id), queryFn: () => text(`/inputs/${encodeURIComponent(id)}`) })

const BODY_PLACEHOLDER: Api.AnswerInput = { answer: null }

/** Whether an error means that the request has changed since the page loaded it. */
function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && [404, 409, 412].includes(error.status)
}

export function useAnswer({ id, digest, run_id, session_id }: Api.InputRequest) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (answer: Json | undefined) => {
      const sent = answerBody(answer, digest)
      return body(api.POST('/inputs/{id}', { params: { path: { id } }, body: BODY_PLACEHOLDER, bodySerializer: () => sent, parseAs: 'text' }))
    },
    onSuccess: (answered) => {
      client.setQueryData(queryKeys.inputs.one(id), answered)
      for (const queryKey of [queryKeys.inputs.all, queryKeys.runs.one(run_id), queryKeys.sessions.one(session_id)]) {
        void client.invalidateQueries({ queryKey })
      }
    },
    // Somebody else answered first: show their answer.
    onError: (error) => (isOutdated(error) ? client.invalidateQueries({ queryKey: queryKeys.inputs.all }) : undefined),
  })
}

export const createLink = (id: string) => body(api.POST('/inputs/{id}/link', { params: { path: { id } } }))

const LINKS = '/input-links'

/** The request of a one-time link. Never refetched, because a used link returns an error. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: queryKeys.inputs.link(token),
    queryFn: () => textByLink(LINKS, token),
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

export function useAnswerByLink(token: string, digest: string) {
  return useMutation({ mutationFn: (answer: Json | undefined) => textByLink(LINKS, token, answerBody(answer, digest)) })
}

/** Adds an example to the latest version of an agent. */
export function useSaveExample(agent: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ input, output }: { input: Json; output: Json }) => {
      const { view, blueprint } = await client.fetchQuery({ ...agentQuery(agent), staleTime: 0 })
      return saveAgent(agent, withExample(blueprint, input, output), view.hash)
    },
    onSuccess: (saved) => {
      client.setQueryData(queryKeys.agents.one(agent), saved)
      void client.invalidateQueries({ queryKey: queryKeys.agents.all, refetchType: 'active' })
    },
  })
}
