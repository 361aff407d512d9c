/** The output of a run before it is validated. */
import type { Api } from '@/api'

export interface LiveOutput {
  /** What the model has written since its last complete message. */
  text: string
  /** What a command has written to stderr so far. */
  stderr: string
}

/** After these events the text so far is shown elsewhere or has been discarded. */
const RESETS_TEXT: readonly string[] = ['message', 'request.repeated', 'attempt.judged', 'tool.started', 'run.queued']

/** The unvalidated output of a run, from its events in order. */
export function liveOutputOf(events: readonly Api.EventView[], runId: string): LiveOutput {
  const output: LiveOutput = { text: '', stderr: '' }
  for (const event of events) {
    if (event.run_id !== runId) continue
    if (event.type === 'output.delta') output[event.channel] += event.text
    else if (RESETS_TEXT.includes(event.type)) output.text = ''
  }
  return output
}
