/** The kinds of nodes, in the order of the palette. To add one, add a file here, a form in the editor, and an entry in each list. */
import { agent } from './agent'
import { check } from './check'
import { human } from './human'
import { input } from './input'
import type { Kind } from './kind'
import { map } from './map'
import { output } from './output'
import { planner } from './planner'
import { unknown } from './unknown'

const KNOWN = { input, agent, check, map, planner, human, output }

export type NodeKind = keyof typeof KNOWN
export const NODE_KINDS = Object.keys(KNOWN) as NodeKind[]
export const KINDS: Record<NodeKind | 'unknown', Kind> = { ...KNOWN, unknown }

export function kindOf(type: unknown): NodeKind | 'unknown' {
  return NODE_KINDS.find((kind) => kind === type) ?? 'unknown'
}
