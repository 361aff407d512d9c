/** The agent or workflow of a node, and its input. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { agentsQuery } from '@/api/queries'
import { Segmented } from '@/components/segmented'
import { Field, Select } from '@/components/ui'
import { fromPlain, isMap } from '@/lib/lossless'
import { workflowsQuery } from '../api'
import { useDraft } from '../draft'
import { parametersFor } from '../first-input'
import { TextPart } from './fields'
import { useNode } from './node'
import { ValueEditor } from './value-editor'

/** The initial blueprint of an inline agent. */
const NEW_INLINE_AGENT = fromPlain({
  type: 'autonomous',
  executor: { type: 'llm', provider: 'anthropic', model: 'claude-sonnet-4-6', max_tokens: 4096 },
  system_prompt: 'You …',
})

interface Props {
  /** The path inside the node: empty for its own agent, or that of the synthesis. */
  under?: readonly string[]
  /** Whether a workflow can be chosen. */
  workflows?: boolean
  /** Names that are available in templates besides the upstream nodes. */
  names?: readonly string[]
}

export function Worker({ under = [], workflows = true }: Props) {
  const { part, setAll, set, problem } = useNode()
  const agents = useQuery(agentsQuery()).data?.items ?? []
  const others = useQuery(workflowsQuery()).data?.items ?? []
  const agent = part(...under, 'agent')
  const workflow = part(...under, 'workflow')
  const chosen = isMap(agent) ? 'inline:' : typeof workflow === 'string' ? `workflow:${workflow}` : `agent:${typeof agent === 'string' ? agent : ''}`
  const known = ['inline:', ...agents.map(({ name }) => `agent:${name}`), ...others.map(({ name }) => `workflow:${name}`)]
  const choose = (next: string) => {
    const name = next.slice(next.indexOf(':') + 1)
    const inline = next === 'inline:'
    const isWorkflow = next.startsWith('workflow:')
    setAll([[...under, 'agent'], inline ? NEW_INLINE_AGENT : isWorkflow ? undefined : name], [[...under, 'workflow'], isWorkflow ? name : undefined])
  }
  const name = typeof agent === 'string' ? agent : typeof workflow === 'string' ? workflow : ''
  return (
    <>
      <Field
        label="Agent or workflow"
        error={problem(...under, 'agent') ?? problem(...under, 'workflow')}
        hint={name !== '' && known.includes(chosen) ? <OpenLink kind={typeof workflow === 'string' ? 'workflow' : 'agent'} name={name} /> : undefined}
      >
        {(ids) => (
          <Select {...ids} value={chosen} onChange={(event) => choose(event.target.value)}>
            {known.includes(chosen) ? null : <option value={chosen}>{name === '' ? 'Choose one' : `${name} (not found)`}</option>}
            <optgroup label="Agents">
              {agents.map((each) => (
                <option key={each.name} value={`agent:${each.name}`}>
                  {each.name}
                </option>
              ))}
            </optgroup>
            {workflows && others.length > 0 ? (
              <optgroup label="Workflows">
                {others.map((each) => (
                  <option key={each.name} value={`workflow:${each.name}`}>
                    {each.name}
                  </option>
                ))}
              </optgroup>
            ) : null}
            <option value="inline:">Inline agent</option>
          </Select>
        )}
      </Field>
      {isMap(agent) ? (
        <ValueEditor label="Blueprint" value={agent} onChange={(value) => set([...under, 'agent'], value)} error={problem(...under, 'agent')} />
      ) : null}
    </>
  )
}

function OpenLink({ kind, name }: { kind: 'agent' | 'workflow'; name: string }) {
  const style = 'inline-flex items-center gap-1 text-accent hover:underline [&_svg]:size-3.5'
  return kind === 'agent' ? (
    <Link to="/agents/$name" params={{ name }} className={style}>
      Open the agent <ExternalLink aria-hidden />
    </Link>
  ) : (
    <Link to="/workflows/$name" params={{ name }} className={style}>
      Open the workflow <ExternalLink aria-hidden />
    </Link>
  )
}

const INPUT_KINDS = [
  { value: 'inputs', label: 'Inputs' },
  { value: 'prompt', label: 'Prompt' },
  { value: 'parameters', label: 'Parameters' },
] as const

/** The input of an agent: the upstream outputs, a prompt, or parameters. */
export function PromptOrParameters({ under = [], names = [] }: Props) {
  const { node, part, set, setAll, problem } = useNode()
  const { document, graph, contracts } = useDraft()
  const [prompt, parameters] = [part(...under, 'prompt'), part(...under, 'parameters')]
  const kind = prompt !== undefined ? 'prompt' : parameters !== undefined ? 'parameters' : 'inputs'
  const choose = (next: (typeof INPUT_KINDS)[number]['value']) =>
    setAll(
      [[...under, 'prompt'], next === 'prompt' ? '' : undefined],
      [[...under, 'parameters'], next === 'parameters' ? (parameters ?? parametersFor(node, document, graph, contracts)) : undefined],
    )
  return (
    <div className="flex flex-col gap-2">
      <p className="font-medium">Input</p>
      <Segmented label="Input" options={INPUT_KINDS} value={kind} onChange={choose} />
      {kind === 'inputs' ? <p className="text-muted">Passes upstream outputs unchanged.</p> : null}
      {kind === 'prompt' ? (
        <TextPart path={[...under, 'prompt']} label={<span className="sr-only">Prompt</span>} code keepEmpty placeholder="Review this: {{ input.diff }}" />
      ) : null}
      {kind === 'parameters' ? (
        <ValueEditor
          label="Parameters"
          value={parameters ?? new Map()}
          onChange={(value) => set([...under, 'parameters'], value)}
          error={problem(...under, 'parameters')}
        />
      ) : null}
      {kind === 'inputs' ? null : <Names more={names} />}
    </div>
  )
}

/** Lists the names that are available in the templates of a node. */
export function Names({ more = [] }: { more?: readonly string[] }) {
  const { node } = useNode()
  const { graph } = useDraft()
  const upstream = graph.edges.filter((edge) => edge.to === node.id).map((edge) => edge.from)
  const compared = upstream.length > 1 ? ['contradictions', 'near_duplicates', 'agreements'] : []
  return (
    <p className="flex flex-wrap gap-1 text-muted">
      Available in templates:
      {[...upstream, ...more, 'inputs', ...compared].map((name) => (
        <code key={name} className="rounded bg-sunken px-1 text-ink">
          {name}
        </code>
      ))}
    </p>
  )
}
