/** What the server says about a schema, as findings at places of the text that somebody is writing. */
import type { Api } from '@/api'
import type { Finding } from '@/components/code/types'
import { follow, pointerParts, readJson } from './json-text'

/** The parts of a path as people write it: `$.items[0]['a b']`. */
export function pathParts(path: string): string[] {
  const parts: string[] = []
  for (const match of path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/g)) {
    parts.push(match[1] ?? match[2] ?? match[3] ?? match[4] ?? '')
  }
  return parts
}

export interface Lint {
  rule: string
  severity: string
  pointer: string
  path: string
  message: string
  provider?: string
}

/** The linter's findings are free objects in the interface; what is not one is left out. */
export function lintOf(values: Record<string, unknown>[]): Lint[] {
  return values.flatMap((value) => {
    const { rule, severity, pointer, path, message, provider } = value
    if (typeof message !== 'string' || typeof path !== 'string') return []
    const text = (given: unknown) => (typeof given === 'string' ? given : '')
    const known = { rule: text(rule), severity: text(severity), pointer: text(pointer), path, message }
    return [typeof provider === 'string' ? { ...known, provider } : known]
  })
}

function severityOf(severity: string): Finding['severity'] {
  return severity === 'error' || severity === 'warning' ? severity : 'info'
}

/** `under` is where in the server's paths the text begins: `$.output_schema` for a schema inside of a blueprint. */
export function findingsOf(text: string, problems: Api.Problem[], lint: Lint[], under = '$'): Finding[] {
  const { node } = readJson(text)
  const at = (parts: string[]) => {
    if (node === null) return { from: 0, to: text.length }
    const { node: found } = follow(node, parts)
    return { from: found.start, to: found.kind === 'object' || found.kind === 'array' ? found.start + 1 : found.end }
  }
  const skip = pathParts(under).length
  return [
    ...problems
      .filter((problem) => problem.path === under || problem.path.startsWith(`${under}.`) || problem.path.startsWith(`${under}[`))
      .map((problem) => ({
        ...at(pathParts(problem.path).slice(skip)),
        severity: severityOf(problem.severity),
        message: problem.message,
      })),
    ...lint.map((each) => ({
      ...at(each.pointer === '' ? pathParts(each.path) : pointerParts(each.pointer)),
      severity: severityOf(each.severity),
      message: each.message,
    })),
  ]
}

/** A text that is not JSON, as the browser sees it; null where it is. */
export function syntaxFinding(text: string): Finding | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length)
    const from = Math.min(position, Math.max(0, text.length - 1))
    return { from, to: Math.min(from + 1, text.length), severity: 'error', message }
  }
}
