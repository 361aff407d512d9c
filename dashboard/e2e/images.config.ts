import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Creates the screenshots of the documentation with the e2e test setup. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: { include: ['**/*.images.ts'], testTimeout: 60_000, hookTimeout: 120_000 },
})
