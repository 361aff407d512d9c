import { useId } from 'react'
import { Field } from '@/components/ui'
import { LinesInput } from '@/components/typed-inputs'
import { PROVIDERS, SCHEMA_PROFILES } from '@/lib/catalog'
import { type Json, at, isMap } from '@/lib/lossless'
import { useDraft } from './draft'
import { ChoiceAt, LinesAt, NumberAt, TextAt } from './fields'
import type { ExecutorType } from './model'

const PROFILES = [...SCHEMA_PROFILES, 'llama.cpp']

const settings = (name: string) => ['executor', name]

/** The settings of an executor. */
export function ExecutorSettings({ type }: { type: ExecutorType }) {
  switch (type) {
    case 'llm':
      return <Llm />
    case 'claude-code':
    case 'codex':
      return <Cli type={type} />
    case 'acp':
      return <Acp />
    case 'process':
    case 'external':
      return <Command type={type} />
    case 'human':
      return (
        <p className="text-muted sm:col-span-2">
          Every run is a task for a person, who answers it under Inputs. No runner is needed. The answer has to match the output schema.
        </p>
      )
    case 'replay':
      return (
        <>
          <TextAt path={settings('cassette')} label="Cassette" hint="A file inside the project folder." />
          <ChoiceAt
            path={settings('match')}
            label="Match"
            options={[
              ['', 'exact (default)'],
              ['exact', 'exact: only recorded requests'],
              ['order', 'order: in the recorded order'],
            ]}
          />
        </>
      )
  }
}

function Timeout({ defaultValue }: { defaultValue: string }) {
  return <NumberAt counts path={settings('timeout_seconds')} label="Turn timeout (s)" hint={`Default: ${defaultValue}.`} />
}

function Llm() {
  const list = useId()
  const profiles = useId()
  return (
    <>
      <TextAt path={settings('provider')} label="Provider" list={list} hint="Or the name of a [providers.…] section in the configuration." />
      <datalist id={list}>
        {PROVIDERS.map((provider) => (
          <option key={provider} value={provider} />
        ))}
      </datalist>
      <TextAt path={settings('model')} label="Model" />
      <NumberAt counts path={settings('max_tokens')} label="Max output tokens" />
      <NumberAt path={settings('temperature')} label="Temperature" hint="0 to 2. Default: the provider's." />
      <TextAt path={settings('base_url')} label="Base URL" placeholder="https://…" hint="Overrides the provider URL." />
      <Timeout defaultValue="none, only the limits of the run" />
      <Reasoning />
      <TextAt
        path={settings('schema_profile')}
        label="JSON Schema subset (override)"
        list={profiles}
        hint="Which keywords the server enforces. Default: by provider."
      />
      <datalist id={profiles}>
        {PROFILES.map((profile) => (
          <option key={profile} value={profile} />
        ))}
      </datalist>
    </>
  )
}

/** The reasoning effort by name. A token budget is kept unchanged and can be edited in the file. */
function Reasoning() {
  const { blueprint } = useDraft()
  const value = at(blueprint, 'executor', 'reasoning')
  if (value !== undefined && value !== null && typeof value !== 'string') {
    return <p className="self-center text-muted">Reasoning uses a token budget, which is kept unchanged.</p>
  }
  return (
    <ChoiceAt
      path={settings('reasoning')}
      label="Reasoning"
      options={[
        ['', 'provider default'],
        ['low', 'low'],
        ['medium', 'medium'],
        ['high', 'high'],
        ...(typeof value === 'string' && !['low', 'medium', 'high', ''].includes(value) ? [[value, value] as const] : []),
      ]}
    />
  )
}

function Cli({ type }: { type: 'claude-code' | 'codex' }) {
  return (
    <>
      <TextAt path={settings('model')} label="Model" hint="Default: the CLI's own choice." />
      <TextAt path={settings('command')} label="Command" placeholder={type === 'codex' ? 'codex' : 'claude'} hint="Overrides the command on the PATH." />
      <LinesAt path={settings('args')} label="Extra arguments" hint="One per line." />
      <Environment />
      <Timeout defaultValue="3600" />
    </>
  )
}

function Acp() {
  return (
    <>
      <LinesAt path={settings('command')} label="Command" hint="The agent and its arguments, one per line: gemini, --acp." />
      <TextAt path={settings('model')} label="Model" hint="Default: the agent's own choice." />
      <TextAt path={settings('auth_method')} label="Login method" hint="An id of the agent's own. Not needed if it is logged in." />
      <Environment />
      <Timeout defaultValue="3600" />
    </>
  )
}

function Command({ type }: { type: 'process' | 'external' }) {
  const { blueprint } = useDraft()
  const byMode = typeof at(blueprint, 'executor', 'args') === 'string'
  return (
    <>
      <TextAt path={settings('command')} label="Command" hint="The executable." />
      {byMode ? null : <LinesAt path={settings('args')} label="Arguments" hint="One per line." />}
      {type === 'process' ? (
        <ChoiceAt
          path={settings(byMode ? 'args' : 'parameters_as')}
          label="Parameters"
          options={[
            ['', 'json (default)'],
            ['json', 'json: on stdin'],
            ['flags', 'flags: as --key value'],
            ['both', 'both'],
          ]}
        />
      ) : null}
      <TextAt path={settings('working_dir')} label="Working directory" hint="Inside the project folder." />
      <Environment />
      <Timeout defaultValue="600" />
    </>
  )
}

/** Environment variables, one `NAME=value` per line. */
function Environment() {
  const { blueprint, set, problem } = useDraft()
  const value = at(blueprint, 'executor', 'env')
  const lines = isMap(value) ? [...value].map(([name, text]) => `${name}=${typeof text === 'string' ? text : ''}`) : []
  const change = (next: string[]) => {
    const pairs = next.map((line): [string, Json] => {
      const [name = '', ...rest] = line.split('=')
      return [name, rest.join('=')]
    })
    set(settings('env'), pairs.length === 0 ? undefined : new Map(pairs))
  }
  return (
    <Field label="Environment" hint="NAME=value, one per line. Do not put secrets here: they would be saved with the agent." error={problem('executor', 'env')}>
      {(ids) => <LinesInput {...ids} className="font-mono" value={lines} onChange={change} />}
    </Field>
  )
}
