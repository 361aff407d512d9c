/** A model that says what a test wants: Chat Completions on loopback. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A tool call instead of text. */
export interface ToolCall {
  tool: string
  arguments: object
}

export type Said = string | ToolCall

export interface ScriptedModel {
  baseUrl: string
  /** What it says next; it waits while there is nothing. */
  say: (...answers: Said[]) => void
  close: () => Promise<void>
}

export async function startModel(): Promise<ScriptedModel> {
  const answers: Said[] = []
  const waiting: ((answer: Said) => void)[] = []
  const next = (asked: ServerResponse) => {
    const answer = answers.shift()
    if (answer !== undefined) return Promise.resolve(answer)
    return new Promise<Said>((resolve) => {
      waiting.push(resolve)
      // Whoever has gone, because its run was stopped, takes no answer from others.
      asked.on('close', () => {
        if (waiting.includes(resolve)) waiting.splice(waiting.indexOf(resolve), 1)
      })
    })
  }
  const server: Server = createServer(async (request, response) => {
    await drained(request)
    const said = await next(response)
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        model: 'scripted',
        choices: [{ index: 0, ...choiceOf(said) }],
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

function choiceOf(said: Said) {
  if (typeof said === 'string') return { finish_reason: 'stop', message: { role: 'assistant', content: said } }
  calls += 1
  const call = { id: `call_${calls}`, type: 'function', function: { name: said.tool, arguments: JSON.stringify(said.arguments) } }
  return { finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [call] } }
}

async function drained(request: IncomingMessage): Promise<void> {
  for await (const chunk of request) void chunk
}

/** An agent of that model. */
export function agentOf(name: string, baseUrl: string, schema?: object): string {
  const contract = schema === undefined ? '' : `output_schema: ${JSON.stringify(schema)}\n`
  return (
    `name: ${name}\ndescription: Says what the test wants\ntype: autonomous\n` +
    `executor: { type: llm, provider: openai-compatible, base_url: "${baseUrl}", model: scripted }\n` +
    `system_prompt: Answer.\n${contract}`
  )
}
