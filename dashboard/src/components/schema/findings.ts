/** Locates the server's findings about a schema in its text. */
import type { Api } from '@/api'
import type { Finding } from '@/components/code/types'
import { type Span, follow, pointerParts, readJson } from '@/lib/json-text'
import { pathParts } from '@/lib/paths'
import type { LintFinding, SchemaReport } from './api'

type Locate = (parts: readonly string[]) => Span

export function locateInJson(text: string): Locate {
  const { node } = readJson(text)
  return (parts) => {
    if (node === null) return { start: 0, end: text.length }
    const { start, end } = follow(node, [...parts]).node
    return { start, end }
  }
}

/** Only the first line of a long part, because underlining a whole object is not helpful. */
function firstLine(text: string, { start, end }: Span): Span {
  const line = text.indexOf('\n', start)
  return { start, end: Math.max(start + 1, line === -1 ? end : Math.min(end, line)) }
}

/** One finding per location and severity, with one message per line. */
export function findingsIn(text: string, report: Pick<SchemaReport, 'problems' | 'lint'>, locate: Locate): Finding[] {
  const found = new Map<string, Finding>()
  const add = (parts: readonly string[], severity: Finding['severity'], message: string) => {
    const { start, end } = firstLine(text, locate(parts))
    const key = `${start} ${severity}`
    const before = found.get(key)
    if (before === undefined) found.set(key, { from: start, to: end, severity, message })
    else before.message += `\n${message}`
  }
  for (const problem of report.problems) add(pathParts(problem.path), problem.severity, problem.message)
  for (const finding of report.lint) add(pointerParts(finding.pointer), finding.severity, finding.message)
  return [...found.values()].sort((left, right) => left.from - right.from)
}

/** Findings that apply to all providers. Keywords that single providers do not enforce are in `lossRows`. */
export function generalFindings(report: SchemaReport): (Pick<LintFinding, 'severity' | 'path' | 'message'> | Api.Problem)[] {
  return [...report.problems, ...report.lint.filter((finding) => finding.rule !== 'provider-does-not-enforce')]
}

export interface LossRow {
  pointer: string
  keyword: string
  /** By profile: how the keyword is enforced. Absent if the provider enforces it. */
  by: Map<string, { how: 'prompt' | 'validator'; detail?: string }>
}

/** Each keyword that at least one provider does not enforce. */
export function lossRows(report: SchemaReport): LossRow[] {
  const rows = new Map<string, LossRow>()
  for (const { profile, losses } of report.lowering) {
    for (const { pointer, keyword, enforced_by, detail } of losses) {
      const key = `${pointer} ${keyword}`
      const row = rows.get(key) ?? { pointer, keyword, by: new Map() }
      row.by.set(profile, { how: enforced_by, detail })
      rows.set(key, row)
    }
  }
  return [...rows.values()].sort((left, right) => (left.pointer < right.pointer ? -1 : left.pointer > right.pointer ? 1 : 0))
}
