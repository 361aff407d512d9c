import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { gzipBundle } from './scripts/gzip-bundle.mjs'

/** Where `npm run dev` finds the coordinator. */
const coordinator = process.env.ACCORD_URL ?? 'http://127.0.0.1:8765'

/** Everything of the API, by the first part of its path; pages are all under /ui. */
const apiPaths = [
  'agents', 'runs', 'sessions', 'events', 'schemas', 'runners', 'stats', 'keys', 'inputs', 'input-links', 'health', 'ready', 'workflows',
  'workflow-runs', 'openapi.json', 'docs', 'metrics',
]

export default defineConfig({
  base: '/ui/',
  plugins: [react(), tailwindcss(), gzipBundle()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    // The first browsers that know light-dark(), which the colour tokens are written with.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // Inlined assets would be data: addresses, which the Content-Security-Policy does not let in.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    // For the check of the first load's size.
    manifest: 'manifest.json',
  },
  server: {
    proxy: Object.fromEntries(apiPaths.map((path) => [`/${path}`, { target: coordinator, changeOrigin: true }])),
  },
  test: {
    restoreMocks: true,
    // Pure code needs no document, and is tested in a tenth of the time without one.
    projects: [
      { extends: true, test: { name: 'pure', environment: 'node', include: ['src/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'parts',
          environment: 'happy-dom',
          include: ['src/**/*.test.tsx'],
          setupFiles: ['./src/test-setup.ts'],
        },
      },
    ],
  },
})
