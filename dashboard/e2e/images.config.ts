import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The pictures of the documentation: not a test, but made by the same means. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: { include: ['**/*.images.ts'], testTimeout: 60_000, hookTimeout: 120_000 },
})
