// What the official client for Node sees beyond the example of the guide.
import assert from 'node:assert/strict'
import OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'

const client = new OpenAI({ baseURL: `${process.env.ACCORD_URL}/v1`, apiKey: 'unused' })
const Sentiment = z.object({ label: z.string(), score: z.number() })
const messages = (content) => [{ role: 'user', content }]

const text = await client.chat.completions.create({ model: 'assistant', messages: messages('Hi') })
assert.equal(text.choices[0].message.content, 'You sent 1 messages.')
assert.equal(text.usage.total_tokens, 110)

const format = zodTextFormat(Sentiment, 'sentiment')
const response = await client.responses.parse({ model: 'assistant', input: 'I like it', text: { format } })
assert.equal(response.output_parsed.label, 'positive')

let whole = ''
const request = { model: 'sentiment', messages: messages('I like it'), stream: true }
for await (const chunk of await client.chat.completions.create(request)) whole += chunk.choices[0]?.delta?.content ?? ''
assert.equal(JSON.parse(whole).label, 'positive')
const kinds = []
for await (const event of await client.responses.create({ model: 'sentiment', input: 'I like it', stream: true })) kinds.push(event.type)
assert.equal(kinds.at(-1), 'response.completed')

await assert.rejects(client.chat.completions.create({ model: 'sentiment', messages: messages('impossible') }), (error) => {
  assert.ok(error instanceof OpenAI.UnprocessableEntityError)
  assert.equal(error.code, 'output_schema_validation_failed')
  return true
})
await assert.rejects(client.chat.completions.create({ model: 'none', messages: messages('Hi') }), OpenAI.NotFoundError)
