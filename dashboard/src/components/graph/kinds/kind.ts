import type { LucideIcon } from 'lucide-react'
import type { JsonMap } from '@/lib/lossless'
import type { GraphNode, Worker } from '../model'

/** A kind of node: everything but its form in the editor, which is in `features/workflows/kinds`. */
export interface Kind {
  label: string
  icon: LucideIcon
  /** What it is for, in one sentence. */
  meaning: string
  /** Of the icon's square. */
  colours: string
  /** What a new node has besides its type. */
  defaults: Record<string, unknown>
  /** The fields that a node may have besides those that every node has. Others are refused by the server. */
  fields: readonly string[]
  /** The field of the schema whose fields the card counts, if it is not `output_schema`. */
  schemaField?: string
  /** What the document says about it in one line: the condition of a check, the list of a map. */
  detail?: (node: JsonMap) => string
  /** What the node is, in a few words. */
  subtitle: (node: Pick<GraphNode, 'worker' | 'detail'>) => string
  /** Why a node cannot have an output schema of its own, null where it can; left out for kinds that never can. */
  schemaFault?: (worker: Worker | null) => string | null
  /** Whether agents make its output, so that it is compared with those of other nodes. */
  hasAgents?: true
  /** Whether it has one output for each item of a list. */
  perItem?: true
}

/** The fields of a node whose work is done by an agent or a workflow. */
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
