// The official client for Node: agents that are Claude Code, Codex and a command, and a workflow.
import assert from 'node:assert/strict'
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { z } from 'zod'

const client = new OpenAI({ baseURL: `${process.env.ACCORD_URL}/v1`, apiKey: 'unused' })
const response_format = zodResponseFormat(z.object({ label: z.string(), score: z.number() }), 'sentiment')
const messages = (content) => [{ role: 'user', content }]
const isUnmet = (error) => error instanceof OpenAI.UnprocessableEntityError && error.code === 'output_schema_validation_failed'

for (const model of ['claude', 'codex', 'command']) {
  const parsed = await client.chat.completions.parse({ model, messages: messages('I like it'), response_format })
  assert.equal(parsed.choices[0].message.parsed.label, 'positive', model)
  await assert.rejects(client.chat.completions.parse({ model, messages: messages('impossible'), response_format }), isUnmet)
  const own = `${model}-sentiment`
  let last
  for await (const event of await client.responses.create({ model: own, input: 'I like it', stream: true })) last = event
  assert.equal(last.type, 'response.completed', own)
  assert.equal(JSON.parse(last.response.output[0].content[0].text).label, 'positive', own)
  await assert.rejects(client.chat.completions.create({ model: own, messages: messages('impossible') }), isUnmet)
}

const both = await client.responses.create({ model: 'second-opinion', input: 'I like it' })
assert.deepEqual(JSON.parse(both.output_text), { first: 'positive', second: 'positive' })
await assert.rejects(client.chat.completions.create({ model: 'second-opinion', messages: messages('impossible') }), isUnmet)
