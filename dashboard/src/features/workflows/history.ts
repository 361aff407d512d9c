/** Undo and redo for a text. */

export interface History {
  past: readonly string[]
  present: string
  future: readonly string[]
  /** The group and time of the last change. A change of the same group soon after is the same undo step. */
  last: { group: string; at: number } | null
}

/** The maximum number of undo steps. */
const MAX_STEPS = 200

/** A longer pause starts a new undo step. Shorter ones do not, so that typing a word is one step. */
const PAUSE_MS = 1_200

export function newHistory(text: string): History {
  return { past: [], present: text, future: [], last: null }
}

/** Consecutive changes with the same `group`, such as "prompt of writer", are one step. Without a group, each change is a step. */
export function pushed(history: History, text: string, now: number, group?: string): History {
  if (text === history.present) return history
  const last = group === undefined ? null : { group, at: now }
  const continues = history.last !== null && history.last.group === group && now - history.last.at < PAUSE_MS
  if (continues) return { ...history, present: text, future: [], last }
  return { past: [...history.past, history.present].slice(-MAX_STEPS), present: text, future: [], last }
}

export function undone(history: History): History {
  const present = history.past.at(-1)
  if (present === undefined) return history
  return { past: history.past.slice(0, -1), present, future: [history.present, ...history.future], last: null }
}

export function redone(history: History): History {
  const [present, ...future] = history.future
  if (present === undefined) return history
  return { past: [...history.past, history.present], present, future, last: null }
}
