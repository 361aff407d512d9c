import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const COMPRESSIBLE = /\.(js|css|svg|html|json)$/

/**
 * Writes `x.gz` beside each file of the bundle, so that the server only picks a file.
 *
 * @returns {import('vite').Plugin}
 */
export function gzipBundle() {
  let folder = 'dist'
  return {
    name: 'gzip-bundle',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir
    },
    async closeBundle() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      for (const entry of entries) {
        if (!entry.isFile() || !COMPRESSIBLE.test(entry.name)) continue
        const path = join(entry.parentPath, entry.name)
        await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }))
      }
    },
  }
}
