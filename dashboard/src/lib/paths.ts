/** Paths in JSON documents: `$.issues[0]["a b"]` as shown to users, and the JSON pointer `/issues/0/a b`. */

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y

/** Splits a path into its parts. Stops at the first part that it cannot read, because a parent is better than nothing. */
export function pathParts(path: string): string[] {
  const parts: string[] = []
  STEP.lastIndex = path.startsWith('$') ? 1 : 0
  for (;;) {
    const step = STEP.exec(path)
    if (step === null) return parts
    parts.push(step[1] ?? step[2] ?? unquote(step[3] ?? '""'))
  }
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}

export function pointerOf(parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Shortens a file path to the part from the `.accord` folder on. */
export function inProject(file: string): string {
  const at = Math.max(file.lastIndexOf('/.accord/'), file.lastIndexOf('\\.accord\\'))
  return at < 0 ? file : file.slice(at + 1)
}

/** Whether `parts` is the path `outer` or inside of it. */
export function isWithin(parts: readonly string[], outer: readonly string[]): boolean {
  return outer.every((part, index) => parts[index] === part)
}
