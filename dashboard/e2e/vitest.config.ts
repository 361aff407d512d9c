import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['**/*.e2e.ts'],
    // Each file starts its own server and browser: as many at once as there are cores, but no more than four.
    maxWorkers: Math.min(4, availableParallelism()),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The default of one second is too short on two busy cores.
    expect: { poll: { timeout: 10_000 } },
    // A browser on a busy machine may miss a gesture, so retry once. The report lists retried tests.
    retry: 1,
  },
})
