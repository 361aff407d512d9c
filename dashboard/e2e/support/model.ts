/** A scripted model: a Chat Completions server on loopback. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A tool call instead of text. */
export interface ToolCall {
  tool: string
  arguments: object
}

export type Reply = string | ToolCall

export interface ScriptedModel {
  baseUrl: string
  /** Queues replies. A request waits until there is one. */
  say: (...answers: Reply[]) => void
  close: () => Promise<void>
}

export async function startModel(): Promise<ScriptedModel> {
  const answers: Reply[] = []
  const waiting: ((answer: Reply) => void)[] = []
  const next = (response: ServerResponse) => {
    const answer = answers.shift()
    if (answer !== undefined) return Promise.resolve(answer)
    return new Promise<Reply>((resolve) => {
      waiting.push(resolve)
      // A closed request, for example of a stopped run, must not consume a reply.
      response.on('close', () => {
        if (waiting.includes(resolve)) waiting.splice(waiting.indexOf(resolve), 1)
      })
    })
  }
  const server: Server = createServer(async (request, response) => {
    await drain(request)
    const reply = await next(response)
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        model: 'scripted',
        choices: [{ index: 0, ...choiceOf(reply) }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    say: (...given) => {
      for (const answer of given) {
        const first = waiting.shift()
        if (first === undefined) answers.push(answer)
        else first(answer)
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

let calls = 0

function choiceOf(reply: Reply) {
  if (typeof reply === 'string') return { finish_reason: 'stop', message: { role: 'assistant', content: reply } }
  calls += 1
  const call = { id: `call_${calls}`, type: 'function', function: { name: reply.tool, arguments: JSON.stringify(reply.arguments) } }
  return { finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [call] } }
}

async function drain(request: IncomingMessage): Promise<void> {
  for await (const chunk of request) void chunk
}

/** The YAML of an agent that uses the scripted model. */
export function agentOf(name: string, baseUrl: string, schema?: object): string {
  const contract = schema === undefined ? '' : `output_schema: ${JSON.stringify(schema)}\n`
  return (
    `name: ${name}\ndescription: Says what the test wants\ntype: autonomous\n` +
    `executor: { type: llm, provider: openai-compatible, base_url: "${baseUrl}", model: scripted }\n` +
    `system_prompt: Answer.\n${contract}`
  )
}
