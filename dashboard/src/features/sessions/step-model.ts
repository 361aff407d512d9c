/** Prepares the steps of a run for display. */
import type { Api } from '@/api'
import { count } from '@/lib/format'
import { PURPOSES } from '@/lib/inputs'
import type { Tone } from '@/lib/status'

export interface StepPart {
  label: string
  text: string
}

export interface ShownStep {
  number: number
  title: string
  /** A one-line summary. */
  summary: string
  tone: Tone
  /** The outcome of a verdict. */
  outcome: Api.Outcome | null
  /** Token counts, if the step used a model. */
  usage: string | null
  /** Shown when the step is expanded. */
  parts: StepPart[]
}

const ENDINGS: Record<Api.Ending, string> = {
  finished: '',
  submitted: '',
  truncated: 'cut off',
  refused: 'refused',
  paused: 'paused',
  astray: 'unknown tools',
}

/** The maximum length of a summary. */
const MAX_SUMMARY_LENGTH = 160

/** Converts all steps. The name of a started tool comes from its call, because the step itself does not have it. */
export function shownSteps(steps: readonly Api.Step[]): ShownStep[] {
  const tools = new Map<string, string>()
  return steps.map(({ number, body }) => {
    if (body.type === 'model_answer') for (const call of body.calls ?? []) tools.set(call.id ?? '', call.name)
    const { title, summary = '', tone = 'neutral', outcome = null, usage = null, parts = [] } = contentOf(body, tools)
    const line = summary.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_SUMMARY_LENGTH)
    return { number, title, summary: line, tone, outcome, usage, parts: parts.filter(({ text }) => text !== '') }
  })
}

function contentOf(body: Api.StepBody, tools: ReadonlyMap<string, string>): Partial<ShownStep> & { title: string } {
  switch (body.type) {
    case 'opened':
      return { title: 'Started', parts: [{ label: 'Known about the endpoints', text: JSON.stringify(body.facts, null, 2) }] }
    case 'model_answer': {
      const calls = body.calls ?? []
      const content = body.refusal ?? (calls.length > 0 ? `calls ${calls.map(({ name }) => name).join(', ')}` : body.text)
      return {
        title: 'Model answer',
        summary: [body.model, ENDINGS[body.ending], content].filter(Boolean).join(' · '),
        tone: body.ending === 'finished' || body.ending === 'submitted' ? 'info' : 'warning',
        usage: tokens(body.usage),
        parts: [
          ...(body.earlier ?? []).map((text) => ({ label: 'Earlier message', text })),
          { label: 'Text', text: body.text },
          { label: 'Refusal', text: body.refusal ?? '' },
          ...calls.map((call) => ({ label: `Call of ${call.name}`, text: call.arguments })),
        ],
      }
    }
    case 'turn_answer':
      return {
        title: 'Answer',
        summary: [body.model, ENDINGS[body.ending], body.detail ?? body.structured ?? body.submissions?.at(-1) ?? body.text]
          .filter(Boolean)
          .join(' · '),
        tone: body.ending === 'finished' || body.ending === 'submitted' ? 'info' : 'warning',
        usage: tokens(body.usage),
        parts: [
          ...(body.before ?? []).map((text) => ({ label: 'Before it was cut off', text })),
          { label: 'Text', text: body.text },
          { label: 'Value', text: body.structured ?? '' },
          ...(body.submissions ?? []).map((text) => ({ label: 'Submitted', text })),
        ],
      }
    case 'request_failed':
      return { title: 'Request failed', summary: body.message, tone: 'warning', usage: tokens(body.usage), parts: [{ label: 'Error', text: body.message }] }
    case 'tool_started':
      return { title: 'Tool started', summary: tools.get(body.call_id) ?? body.call_id }
    case 'tool_result':
      return {
        title: 'Tool result',
        summary: body.ok ? body.name : `${body.name} · failed`,
        tone: body.ok ? 'success' : 'warning',
        parts: [{ label: 'Result', text: body.text }],
      }
    case 'conversation':
      return { title: 'Conversation', summary: body.host === '' ? '' : `on ${body.host}`, parts: [{ label: 'Conversation', text: JSON.stringify(body.conversation, null, 2) }] }
    case 'verdict':
      return { title: 'Verdict', summary: `attempt ${body.attempt}`, outcome: body.outcome }
    case 'message':
      return { title: 'Message', summary: body.text, parts: [{ label: 'Text', text: body.text }] }
    case 'input':
      return {
        title: 'Input',
        summary: `${PURPOSES[body.purpose].toLowerCase()}${body.tool ? ` of ${body.tool.name}` : ''} · ${answerLine(body)}`,
        tone: body.answer === undefined ? 'warning' : 'info',
        parts: [
          { label: 'Arguments', text: body.tool ? JSON.stringify(body.tool.arguments, null, 2) : '' },
          { label: 'Answer', text: body.answer === undefined ? '' : JSON.stringify(body.answer, null, 2) },
        ],
      }
    case 'restarted':
      return { title: 'Started over', summary: body.reason, tone: 'warning', parts: [{ label: 'Reason', text: body.reason }] }
    default:
      return { title: (body as { type: string }).type.replaceAll('_', ' ') }
  }
}

/** A person's answer in one line. */
function answerLine({ purpose, answer }: Api.InputStepBody): string {
  if (answer === undefined) return 'nobody answered in time'
  if (purpose !== 'approval') return JSON.stringify(answer)
  return (answer as { approve?: unknown } | null)?.approve === true ? 'approved' : 'denied'
}

function tokens(usage: Api.Usage): string {
  return `${count(usage.input_tokens)} in · ${count(usage.output_tokens)} out`
}
