// Tools with the official client for Node (runTools) and with the Vercel AI SDK, with their default retries.
import assert from 'node:assert/strict'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { z } from 'zod'

const baseURL = `${process.env.ACCORD_URL}/v1`
const client = new OpenAI({ baseURL, apiKey: 'unused' })
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = ({ city }) => `sun in ${city}`
const content = 'call weather {"city": "Bonn"}'

const runner = client.chat.completions.runTools({
  model: 'assistant',
  messages: [{ role: 'user', content }],
  tools: [{ type: 'function', function: { name: 'weather', description: 'w', parameters, parse: JSON.parse, function: weather } }],
})
assert.equal(await runner.finalContent(), 'You heard sun in Bonn.')

const tools = { weather: tool({ description: 'w', inputSchema: z.object({ city: z.string() }), execute: weather }) }
const models = [
  createOpenAI({ baseURL, apiKey: 'unused' })('assistant'),
  createOpenAI({ baseURL, apiKey: 'unused' }).chat('assistant'),
  createOpenAICompatible({ name: 'accord', baseURL })('assistant'),
]
for (const model of models) {
  const request = { model, prompt: content, tools, stopWhen: stepCountIs(3) }
  assert.equal((await generateText(request)).text, 'You heard sun in Bonn.')
  assert.equal(await streamText(request).text, 'You heard sun in Bonn.')
}
