/** The logic of the agent editor: new blueprints, and which tab shows which problem. */
import type { Api } from '@/api'
import type { EXECUTORS } from '@/lib/catalog'
import { type Json, type JsonMap, fromPlain, isMap, parse, withMember, write } from '@/lib/lossless'
import { isWithin, pathParts } from '@/lib/paths'

export const TABS = [
  { id: 'general', label: 'General' },
  { id: 'input', label: 'Input Schema' },
  { id: 'output', label: 'Output Schema' },
  { id: 'prompt', label: 'Prompt' },
  { id: 'tools', label: 'Tools & MCP' },
  { id: 'invariants', label: 'Invariants' },
  { id: 'try', label: 'Try it' },
] as const
export type TabId = (typeof TABS)[number]['id']

const TAB_OF: Record<string, TabId> = {
  parameters_schema: 'input',
  output_schema: 'output',
  output_schema_options: 'output',
  default_output_schema: 'output',
  default_output_schema_options: 'output',
  system_prompt: 'prompt',
  tools: 'tools',
  approve: 'tools',
  on_input_timeout: 'tools',
  mcp_servers: 'tools',
  invariants: 'invariants',
}

/** The tab where a problem can be fixed. */
export function tabOf(problem: Pick<Api.Problem, 'path'>): TabId {
  const [field, inner] = pathParts(problem.path)
  if (field === 'executor' && inner === 'allowed_tools') return 'tools'
  return TAB_OF[field ?? ''] ?? 'general'
}

/** The first problem at a path or below it. */
export function problemAt(problems: readonly Api.Problem[], path: readonly string[]): Api.Problem | undefined {
  return problems.find((problem) => isWithin(pathParts(problem.path), path))
}

/** The initial blueprint of a new agent: an LLM agent whose output has one field. */
export function newBlueprint(): JsonMap {
  return fromPlain({
    name: '',
    description: '',
    type: 'autonomous',
    executor: { type: 'llm', provider: 'anthropic', model: 'claude-sonnet-4-6', max_tokens: 4096 },
    system_prompt: '',
    output_schema: {
      type: 'object',
      properties: { summary: { type: 'string', description: 'The answer in one paragraph' } },
      required: ['summary'],
      additionalProperties: false,
    },
  }) as JsonMap
}

/** The blueprint to send, without empty texts. */
export function tidied(blueprint: JsonMap): JsonMap {
  return new Map([...blueprint].filter(([key, value]) => !(value === '' && (key === 'description' || key === 'system_prompt'))))
}

export type ExecutorType = (typeof EXECUTORS)[number]

const NEW_EXECUTORS: Record<ExecutorType, Record<string, unknown>> = {
  llm: { provider: 'anthropic', model: 'claude-sonnet-4-6', max_tokens: 4096 },
  'claude-code': {},
  codex: {},
  acp: { command: [] },
  process: { command: '' },
  external: { command: '' },
  human: {},
  replay: { cassette: '' },
}

const SHARED_SETTINGS: Record<string, readonly ExecutorType[]> = {
  timeout_seconds: ['llm', 'claude-code', 'codex', 'acp', 'process', 'external'],
  model: ['llm', 'claude-code', 'codex', 'acp'],
  env: ['claude-code', 'codex', 'acp', 'process', 'external'],
}

/** Changes the executor and keeps the settings that both have. */
export function withExecutor(blueprint: JsonMap, type: ExecutorType): JsonMap {
  const old = blueprint.get('executor')
  const fresh = new Map(fromPlain({ type, ...NEW_EXECUTORS[type] }) as JsonMap)
  for (const [key, types] of Object.entries(SHARED_SETTINGS)) {
    const value = isMap(old) ? old.get(key) : undefined
    if (value !== undefined && types.includes(type)) fresh.set(key, value)
  }
  const changed = withMember(blueprint, 'executor', fresh)
  return withMember(changed, 'type', type === 'process' ? 'procedural' : 'autonomous')
}

/** Which of the two contract fields an agent uses. */
export type ContractKind = 'none' | 'output_schema' | 'default_output_schema'

export function contractKind(blueprint: JsonMap): ContractKind {
  const set = (field: string) => (blueprint.get(field) ?? null) !== null
  if (set('output_schema')) return 'output_schema'
  return set('default_output_schema') ? 'default_output_schema' : 'none'
}

/** Moves the contract and its options to the other field: authoritative, or a default that callers may replace. */
export function withContractKind(blueprint: JsonMap, kind: ContractKind): JsonMap {
  const old = contractKind(blueprint)
  if (old === kind) return blueprint
  const schema = (old === 'none' ? undefined : blueprint.get(old)) ?? newBlueprint().get('output_schema')
  const options = old === 'none' ? undefined : blueprint.get(`${old}_options`)
  const moved = [...blueprint].flatMap(([key, value]): [string, Json | undefined][] => {
    if (key === old) return kind === 'none' ? [] : [[kind, schema]]
    if (key === `${old}_options` || key === kind || key === `${kind}_options`) return []
    return [[key, value]]
  })
  const result = new Map(moved as [string, Json][])
  if (kind === 'none') return result
  if (schema !== undefined && !result.has(kind)) result.set(kind, schema)
  return options === undefined ? result : withMember(result, `${kind}_options`, options)
}

/** The default number of retries. The second is the server's default setting. */
export const DEFAULT_RETRIES = { output_schema: 1, default_output_schema: 2 }

/** A fallback model or an approval as a line: its name, or settings as JSON. */
export function lineOf(item: Json): string {
  return typeof item === 'string' ? item : write(item)
}

/** The inverse of `lineOf`. Text that is not valid JSON yet is kept as a string. */
export function itemOf(line: string): Json {
  if (!line.trimStart().startsWith('{')) return line
  try {
    return parse(line)
  } catch {
    return line
  }
}

const KNOWN: Record<string, readonly string[]> = {
  '': [
    'name', 'description', 'type', 'executor', 'escalate_to', 'system_prompt', 'tools', 'approve', 'on_input_timeout', 'mcp_servers',
    'limits', 'retry', 'callback', 'on_parent_end', 'tags', 'demands',
    'parameters_schema', 'output_schema', 'default_output_schema', 'default_output_schema_options', 'output_schema_options',
    'invariants', 'examples', 'send_examples',
  ],
  limits: ['max_steps', 'max_tokens_total', 'max_cost_usd', 'timeout_seconds', 'wait_seconds', 'input_seconds'],
  retry: ['for_seconds', 'max_attempts'],
  demands: ['hostname', 'project_dir', 'executor_type', 'tags'],
}

const CLI = ['type', 'model', 'command', 'args', 'env', 'allowed_tools', 'timeout_seconds']
const COMMAND = ['type', 'command', 'args', 'parameters_as', 'env', 'working_dir', 'timeout_seconds']

const KNOWN_SETTINGS: Record<ExecutorType, readonly string[]> = {
  llm: ['type', 'provider', 'model', 'base_url', 'max_tokens', 'temperature', 'reasoning', 'timeout_seconds', 'schema_profile'],
  'claude-code': CLI,
  codex: CLI,
  acp: ['type', 'command', 'model', 'auth_method', 'env', 'allowed_tools', 'timeout_seconds'],
  process: COMMAND,
  external: COMMAND,
  human: ['type'],
  replay: ['type', 'cassette', 'match'],
}

/** Unknown fields. The server rejects them and no control shows them, so they can only be removed. */
export function unknownFields(blueprint: JsonMap): string[][] {
  const of = (path: string[], value: Json | undefined, known: readonly string[] | undefined): string[][] =>
    isMap(value) && known ? [...value.keys()].filter((key) => !known.includes(key)).map((key) => [...path, key]) : []
  const executor = blueprint.get('executor')
  const type = isMap(executor) ? executor.get('type') : undefined
  return [
    ...of([], blueprint, KNOWN['']),
    ...of(['executor'], executor, KNOWN_SETTINGS[type as ExecutorType]),
    ...of(['limits'], blueprint.get('limits'), KNOWN.limits),
    ...of(['retry'], blueprint.get('retry'), KNOWN.retry),
    ...of(['demands'], blueprint.get('demands'), KNOWN.demands),
  ]
}
