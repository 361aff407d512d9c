/** Places in documents, as the server writes them: `$.issues[0]["a b"]` for people, `/issues/0/a b` for machines. */

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y

/** The parts of a path. What cannot be read ends it: a place nearby is better than none. */
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

/** The part of a file's path that begins at the folder `.accord`: where it is for whoever knows the project. */
export function inProject(file: string): string {
  const at = Math.max(file.lastIndexOf('/.accord/'), file.lastIndexOf('\\.accord\\'))
  return at < 0 ? file : file.slice(at + 1)
}

/** Whether a place is another one or inside of it. */
export function isWithin(parts: readonly string[], outer: readonly string[]): boolean {
  return outer.every((part, index) => parts[index] === part)
}
