// The first load is what index.html names: its script, the scripts preloaded with it, its styles.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const LIMIT_BYTES = 400 * 1024

const html = readFileSync('dist/index.html', 'utf8')
const names = [...html.matchAll(/(?:src|href)="\/ui\/([^"]+\.(?:js|css))"/g)].map((match) => match[1])
if (names.length === 0) throw new Error('dist/index.html names no script: has the build changed its shape?')
const sizes = names.map((name) => ({ name, bytes: gzipSync(readFileSync(`dist/${name}`), { level: 9 }).length }))
const total = sizes.reduce((sum, size) => sum + size.bytes, gzipSync(html).length)

for (const { name, bytes } of sizes) console.log(`${(bytes / 1024).toFixed(1).padStart(8)} KB  ${name}`)
console.log(`${(total / 1024).toFixed(1).padStart(8)} KB  first load, gzipped (limit ${LIMIT_BYTES / 1024} KB)`)
if (total > LIMIT_BYTES) {
  console.error('the first load is too large: load editors when they are needed')
  process.exit(1)
}
