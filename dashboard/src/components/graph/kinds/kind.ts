import type { LucideIcon } from 'lucide-react'
import type { JsonMap } from '@/lib/lossless'
import type { GraphNode, Worker } from '../model'

/** A kind of node. Its form in the editor is in `features/workflows/kinds`. */
export interface Kind {
  label: string
  icon: LucideIcon
  /** Its purpose in one sentence. */
  meaning: string
  /** The classes of the icon's background. */
  colours: string
  /** The fields of a new node besides its type. */
  defaults: Record<string, unknown>
  /** The allowed fields besides those that every node has. The server rejects others. */
  fields: readonly string[]
  /** The field of the schema whose fields the card counts, if it is not `output_schema`. */
  schemaField?: string
  /** A one-line detail from the document, such as the condition of a check or the list of a map. */
  detail?: (node: JsonMap) => string
  /** A short description of the node. */
  subtitle: (node: Pick<GraphNode, 'worker' | 'detail'>) => string
  /** Why a node cannot have its own output schema; null if it can. Omitted for kinds that never can. */
  schemaFault?: (worker: Worker | null) => string | null
  /** Whether agents produce its output, so that it is compared with the outputs of other nodes. */
  hasAgents?: true
  /** Whether it has one output for each item of a list. */
  perItem?: true
}

/** The fields of a node that runs an agent or a workflow. */
export const WORK_FIELDS = ['agent', 'workflow', 'prompt', 'parameters', 'output_schema', 'on_failure'] as const

export function workerLabel(worker: Worker | null): string {
  if (worker === null || worker.name === '') return 'no agent yet'
  return worker.kind === 'agent' ? worker.name : `${worker.name} (${worker.kind === 'inline' ? 'inline' : 'workflow'})`
}

export function workflowSchemaFault(worker: Worker | null): string | null {
  return worker?.kind === 'workflow' ? 'a workflow defines its own output' : null
}

export function textAt(node: JsonMap, field: string): string {
  const value = node.get(field)
  return typeof value === 'string' ? value : ''
}
