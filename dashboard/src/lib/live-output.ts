/** What a run says before it is validated. Pure. */
import type { Api } from '@/api'

export interface LiveOutput {
  /** What the model is saying, since its last whole message. */
  text: string
  /** What a command has written to stderr. */
  stderr: string
}

/** Events after which what the model said so far stands elsewhere, or counts no more. */
const BEGINS_ANEW: readonly string[] = ['message', 'request.repeated', 'attempt.judged', 'tool.started', 'run.queued']

/** The unvalidated output of a run, from its events in order. */
export function liveOutputOf(events: readonly Api.EventView[], runId: string): LiveOutput {
  const output: LiveOutput = { text: '', stderr: '' }
  for (const event of events) {
    if (event.run_id !== runId) continue
    if (event.type === 'output.delta') output[event.channel] += event.text
    else if (BEGINS_ANEW.includes(event.type)) output.text = ''
  }
  return output
}
