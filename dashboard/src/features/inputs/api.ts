import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Api, ApiError, api, body, queryKeys, text, textWithoutKey } from '@/api'
import { agentQuery, saveAgent } from '@/api/agents'
import type { Json } from '@/lib/lossless'
import { answerBody, withExample } from './model'

export const fetchInputs = (status: Api.InputStatus | undefined, limit: number, cursor?: string) =>
  body(api.GET('/inputs', { params: { query: { status, limit, cursor } } }))

export const fetchInput = (id: string) => body(api.GET('/inputs/{id}', { params: { path: { id } } }))

/** As text: numbers stay as they were written. */
export const inputQuery = (id: string) =>
  queryOptions({ queryKey: queryKeys.inputs.one(id), queryFn: () => text(`/inputs/${encodeURIComponent(id)}`) })

const TYPED: Api.AnswerInput = { answer: null }

/** Whether a refusal says that the request is not what the page shows any more. */
function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && [404, 409, 412].includes(error.status)
}

export function useAnswer({ id, digest, run_id, session_id }: Api.InputRequest) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (answer: Json | undefined) => {
      const sent = answerBody(answer, digest)
      return body(api.POST('/inputs/{id}', { params: { path: { id } }, body: TYPED, bodySerializer: () => sent, parseAs: 'text' }))
    },
    onSuccess: (answered) => {
      client.setQueryData(queryKeys.inputs.one(id), answered)
      for (const queryKey of [queryKeys.inputs.all, queryKeys.runs.one(run_id), queryKeys.sessions.one(session_id)]) {
        void client.invalidateQueries({ queryKey })
      }
    },
    // Somebody else was faster: what they answered is shown.
    onError: (error) => (isOutdated(error) ? client.invalidateQueries({ queryKey: queryKeys.inputs.all }) : undefined),
  })
}

export const createLink = (id: string) => body(api.POST('/inputs/{id}/link', { params: { path: { id } } }))

const linkPath = (token: string) => `/input-links/${encodeURIComponent(token)}`

/** The request of a one-time link, asked for once: a link that was used answers nothing any more. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: queryKeys.inputs.link(token),
    queryFn: () => textWithoutKey(linkPath(token)),
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

export function useAnswerByLink(token: string, digest: string) {
  return useMutation({ mutationFn: (answer: Json | undefined) => textWithoutKey(linkPath(token), answerBody(answer, digest)) })
}

/** Adds an example to an agent as it is now. */
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
