/** Undo: a stack of texts. Pure; the time is given. */

export interface History {
  past: readonly string[]
  present: string
  future: readonly string[]
  /** What was done last, and when: the same again soon after is the same step. */
  last: { deed: string; at: number } | null
}

/** As many steps as somebody remembers. */
const MOST_STEPS = 200

/** Pauses shorter than this do not end a step, so that typing a word is one. */
const PAUSE_MS = 1_200

export function begin(text: string): History {
  return { past: [], present: text, future: [], last: null }
}

/** `deed` names what may go on as one step: "prompt of writer". Without one, it is a step of its own. */
export function changed(history: History, text: string, now: number, deed?: string): History {
  if (text === history.present) return history
  const last = deed === undefined ? null : { deed, at: now }
  const goesOn = history.last !== null && history.last.deed === deed && now - history.last.at < PAUSE_MS
  if (goesOn) return { ...history, present: text, future: [], last }
  return { past: [...history.past, history.present].slice(-MOST_STEPS), present: text, future: [], last }
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
