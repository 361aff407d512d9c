import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['**/*.e2e.ts'],
    // Each file has a server and a browser of its own; two cores carry one of each at a time.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, which is what is usual, is not much on two busy cores.
    expect: { poll: { timeout: 10_000 } },
    // A browser on a busy machine may miss a gesture once; what fails twice is broken. The report names what was repeated.
    retry: 1,
  },
})
