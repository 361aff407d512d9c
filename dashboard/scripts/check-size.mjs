// The first load: the frame, and the page that it opens with, each with what it needs at once.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const LIMIT_BYTES = 400 * 1024
const FIRST = ['index.html', 'src/features/overview/overview-page.tsx']

const manifest = JSON.parse(readFileSync('dist/manifest.json', 'utf8'))
const files = new Set()
const visited = new Set()

function visit(name) {
  if (visited.has(name)) return
  visited.add(name)
  const chunk = manifest[name]
  if (chunk === undefined) throw new Error(`dist/manifest.json does not name ${name}: has the build changed its shape?`)
  for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
  for (const needed of chunk.imports ?? []) visit(needed)
}
FIRST.forEach(visit)

let total = gzipSync(readFileSync('dist/index.html')).length
for (const file of files) {
  const bytes = gzipSync(readFileSync(`dist/${file}`), { level: 9 }).length
  total += bytes
  console.log(`${(bytes / 1024).toFixed(1).padStart(8)} KB  ${file}`)
}
console.log(`${(total / 1024).toFixed(1).padStart(8)} KB  first load, gzipped (limit ${LIMIT_BYTES / 1024} KB)`)
if (total > LIMIT_BYTES) {
  console.error('the first load is too large: load editors when they are needed')
  process.exit(1)
}
