/** Labels and summaries of input requests. */
import type { Api } from '@/api'

export const PURPOSES: Record<Api.InputPurpose, string> = {
  approval: 'Approval',
  question: 'Question',
  correction: 'Correction',
  task: 'Task',
  tool_call: 'Tool call',
}

type Summarized = Pick<Api.InputRequest, 'message'> & { tool?: Api.ToolUse | null }

/** A request in one line: the call to approve, or the question. */
export function summaryOf({ message, tool }: Summarized): string {
  if (tool) return `${tool.name} ${JSON.stringify(tool.arguments)}`
  return message.replaceAll(/\s+/g, ' ').trim()
}

export function actorLabel(actor: Api.AuditActor): string {
  switch (actor.kind) {
    case 'key':
      return `API key ${actor.name || actor.key_id}`
    case 'run':
      return `run ${actor.run_id}`
    case 'link':
      return 'a one-time link'
    case 'open':
      return 'a caller without an API key'
    case 'command_line':
      return 'the command line'
    default:
      return actor.kind.replaceAll('_', ' ')
  }
}
