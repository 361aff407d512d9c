/** Renames a node in the templates and conditions of other nodes. */
import { type Node, type YAMLMap, isMap, isScalar, visit } from 'yaml'

/** Fields that contain templates. */
const TEMPLATES = ['prompt', 'parameters', 'over', 'value']

/** Renames a node in the templates and the condition of another node and of its synthesis. */
export function renameIn(node: YAMLMap, id: string, next: string): void {
  for (const part of TEMPLATES) inTexts(node.get(part, true), (text) => inTemplate(text, id, next))
  inTexts(node.get('assert', true), (text) => inExpression(text, id, next))
  const synthesis = node.get('synthesis', true)
  if (isMap(synthesis)) renameIn(synthesis, id, next)
}

function inTexts(node: unknown, change: (text: string) => string): void {
  if (isScalar(node)) {
    if (typeof node.value === 'string') node.value = change(node.value)
    return
  }
  if (isMap(node) || Array.isArray((node as { items?: unknown } | undefined)?.items)) {
    visit(node as Node, {
      Scalar(key, scalar) {
        if (key !== 'key' && typeof scalar.value === 'string') scalar.value = change(scalar.value)
      },
    })
  }
}

function inTemplate(text: string, id: string, next: string): string {
  return text.replace(/\{\{.*?\}\}|\{%.*?%\}/gs, (part) => inExpression(part, id, next))
}

/** Replaces the id as a whole word, except after a dot and inside quotes. */
function inExpression(text: string, id: string, next: string): string {
  return text
    .split(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(new RegExp(`(?<![\\w.])${id}(?!\\w)`, 'g'), next)))
    .join('')
}
