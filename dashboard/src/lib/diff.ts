/** Compares two texts by lines or by other parts, such as words. */

export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** The table has one cell per pair of lines. Filling a larger table takes seconds, and such a long diff is not useful. */
const MAX_CELLS = 4_000_000

/** Returns null if the texts are too long to compare. */
export function diffLines(before: string, after: string): DiffLine[] | null {
  return diffParts(before.split('\n'), after.split('\n'))
}

/** Like `diffLines`, for texts that are already split into parts. */
export function diffParts(a: string[], b: string[]): DiffLine[] | null {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  const left = a.slice(start, a.length - end)
  const right = b.slice(start, b.length - end)
  if (left.length * right.length > MAX_CELLS) return null
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  return [...a.slice(0, start).map(same), ...middle(left, right), ...a.slice(a.length - end).map(same)]
}

/** Diffs by the longest common subsequence. */
function middle(left: string[], right: string[]): DiffLine[] {
  const width = right.length + 1
  const longest = new Uint32Array((left.length + 1) * width)
  const at = (i: number, j: number) => longest[i * width + j] ?? 0
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push({ kind: 'same', text: left[i] ?? '' })
      i += 1
      j += 1
    } else if (i < left.length && (j === right.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: left[i] ?? '' })
      i += 1
    } else {
      lines.push({ kind: 'added', text: right[j] ?? '' })
      j += 1
    }
  }
  return lines
}
