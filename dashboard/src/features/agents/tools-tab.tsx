import { Card, CardBody, CardHeader, Checkbox } from '@/components/ui'
import { at, isList } from '@/lib/lossless'
import { useDraft } from './draft'
import { ChoiceAt, LinesAt } from './fields'
import { itemOf, lineOf } from './model'
import { Servers } from './servers'

const TOOLS = [
  ['read_file', 'read a file in the project folder'],
  ['list_files', 'list files in the project folder'],
  ['search_files', 'search files in the project folder'],
  ['write_file', 'write a file in the project folder'],
  ['run_command', 'run a command in the project folder'],
  ['ask_human', 'ask a person and wait for the answer'],
] as const

/** The tools and MCP servers of an agent. */
export function ToolsTab() {
  const { blueprint } = useDraft()
  const executor = at(blueprint, 'executor', 'type')
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <Card aria-labelledby="tools">
        <CardHeader title="Tools" id="tools" />
        <CardBody className="flex flex-col gap-3">
          {executor === 'claude-code' || executor === 'codex' || executor === 'acp' ? (
            <LinesAt
              path={['executor', 'allowed_tools']}
              label="Allowed CLI tools"
              hint="One per line, by the CLI's names. For ACP agents also kinds: read, edit, execute."
            />
          ) : (
            <BuiltIn usable={executor === 'llm' || executor === 'replay'} />
          )}
        </CardBody>
      </Card>
      <div className="flex flex-col gap-4">
        <Servers />
        <Approvals />
      </div>
    </div>
  )
}

/** Tools that need the approval of a person, and what happens if nobody answers. */
function Approvals() {
  return (
    <Card aria-labelledby="approvals">
      <CardHeader title="Approvals" id="approvals" />
      <CardBody className="flex flex-col gap-3">
        <LinesAt
          path={['approve']}
          label="Tools that need approval"
          placeholder="run_command"
          hint='One per line: a tool, or {"tool": "…", "when": "arguments.amount > 100"} for some of its calls. A * at the end stands for any rest of the name.'
          lineOf={lineOf}
          itemOf={itemOf}
        />
        <ChoiceAt
          path={['on_input_timeout']}
          label="If nobody answers in time"
          options={[
            ['', 'deny the call and continue (default)'],
            ['deny', 'deny: continue without it'],
            ['fail', 'fail: the run fails'],
          ]}
        />
      </CardBody>
    </Card>
  )
}

function BuiltIn({ usable }: { usable: boolean }) {
  const { blueprint, set, problem } = useDraft()
  const value = blueprint.get('tools')
  const chosen = isList(value) ? value : []
  const unknown = chosen.filter((tool) => !TOOLS.some(([name]) => name === tool))
  const toggle = (tool: string, on: boolean) => {
    const next = on ? [...chosen, tool] : chosen.filter((name) => name !== tool)
    set(['tools'], next.length === 0 ? undefined : next)
  }
  const error = problem('tools')
  return (
    <>
      {usable ? null : <p className="text-muted">Built-in tools need an agent with a model; this executor cannot use them.</p>}
      {TOOLS.map(([tool, description]) => (
        <Checkbox
          key={tool}
          checked={chosen.includes(tool)}
          onChange={(event) => toggle(tool, event.target.checked)}
          label={
            <span>
              <code className="font-medium">{tool}</code> <span className="text-muted">{description}</span>
            </span>
          }
        />
      ))}
      {unknown.map((tool) => (
        <Checkbox key={String(tool)} checked label={<code>{String(tool)}</code>} onChange={() => toggle(String(tool), false)} />
      ))}
      {error ? <p className="text-danger">{error}</p> : null}
    </>
  )
}
