// The Vercel AI SDK: agents that are Claude Code, Codex and a command, and a workflow.
import assert from 'node:assert/strict'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, Output, streamText } from 'ai'
import { z } from 'zod'

const baseURL = `${process.env.ACCORD_URL}/v1`
const openai = createOpenAI({ baseURL, apiKey: 'unused' })
const compatible = createOpenAICompatible({ name: 'accord', baseURL, supportsStructuredOutputs: true })
const output = Output.object({ schema: z.object({ label: z.string(), score: z.number() }) })

for (const name of ['claude', 'codex', 'command']) {
  const result = await generateText({ model: openai(name), output, prompt: 'I like it' })
  assert.equal(result.output.label, 'positive', name)
  const stream = streamText({ model: compatible(name), output, prompt: 'I like it' })
  assert.equal((await stream.output).label, 'positive', name)
  const own = await generateText({ model: compatible(`${name}-sentiment`), prompt: 'I like it' })
  assert.equal(JSON.parse(own.text).label, 'positive', name)
  await assert.rejects(generateText({ model: compatible(name), output, prompt: 'impossible', maxRetries: 0 }))
  await assert.rejects(generateText({ model: openai(`${name}-sentiment`), prompt: 'impossible', maxRetries: 0 }))
}

const { text } = await generateText({ model: openai('second-opinion'), prompt: 'I like it' })
assert.deepEqual(JSON.parse(text), { first: 'positive', second: 'positive' })
