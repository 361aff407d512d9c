// The Vercel AI SDK: over Responses, as a stream, and a contract that was not met.
import assert from 'node:assert/strict'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, Output, streamText } from 'ai'
import { z } from 'zod'

const baseURL = `${process.env.ACCORD_URL}/v1`
const openai = createOpenAI({ baseURL, apiKey: 'unused' })
const compatible = createOpenAICompatible({ name: 'accord', baseURL, supportsStructuredOutputs: true })
const output = Output.object({ schema: z.object({ label: z.string(), score: z.number() }) })

for (const model of [openai('assistant'), openai.chat('assistant'), compatible('assistant')]) {
  const result = await generateText({ model, output, prompt: 'I like it' })
  assert.equal(result.output.label, 'positive')
  assert.equal(result.usage.inputTokens, 100)
  const stream = streamText({ model, output, prompt: 'I like it' })
  assert.equal((await stream.output).label, 'positive')
}
for (const model of [openai('sentiment'), openai.chat('sentiment'), compatible('sentiment')]) {
  await assert.rejects(generateText({ model, prompt: 'impossible', maxRetries: 0 }))
}
