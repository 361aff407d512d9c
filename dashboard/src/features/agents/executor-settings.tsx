import { useId } from 'react'
import { Field } from '@/components/ui'
import { LinesInput } from '@/components/typed-inputs'
import { type Json, at, isMap } from '@/lib/lossless'
import { useDraft } from './draft'
import { ChoiceAt, LinesAt, NumberAt, TextAt } from './fields'
import type { ExecutorType } from './model'

const PROVIDERS = ['anthropic', 'openai', 'openai-chat', 'openai-compatible', 'ollama']

const PROFILES = ['openai', 'anthropic', 'ollama', 'llama.cpp']

const settings = (name: string) => ['executor', name]

/** The settings that an executor has. */
export function ExecutorSettings({ type }: { type: ExecutorType }) {
  switch (type) {
    case 'llm':
      return <Llm />
    case 'claude-code':
    case 'codex':
      return <Cli type={type} />
    case 'process':
    case 'external':
      return <Command type={type} />
    case 'replay':
      return (
        <>
          <TextAt path={settings('cassette')} label="Cassette" hint="The file, inside the project folder." />
          <ChoiceAt
            path={settings('match')}
            label="Match"
            options={[
              ['', 'exact (usual)'],
              ['exact', 'exact: only what was recorded'],
              ['order', 'order: one after the other'],
            ]}
          />
        </>
      )
  }
}

function Timeout({ usual }: { usual: string }) {
  return <NumberAt counts path={settings('timeout_seconds')} label="Seconds for a turn" hint={`None: ${usual}.`} />
}

function Llm() {
  const list = useId()
  const profiles = useId()
  return (
    <>
      <TextAt path={settings('provider')} label="Provider" list={list} hint="Or a [providers.x] of the configuration." />
      <datalist id={list}>
        {PROVIDERS.map((provider) => (
          <option key={provider} value={provider} />
        ))}
      </datalist>
      <TextAt path={settings('model')} label="Model" />
      <NumberAt counts path={settings('max_tokens')} label="Tokens of an answer" hint="The ceiling." />
      <NumberAt path={settings('temperature')} label="Temperature" hint="0 to 2; none: the provider's." />
      <TextAt path={settings('base_url')} label="Base address" placeholder="https://…" hint="Another than the provider's." />
      <Timeout usual="only the limits of the run hold" />
      <Reasoning />
      <TextAt
        path={settings('schema_profile')}
        label="Schema profile"
        list={profiles}
        hint="What the server enforces, if not its dialect's."
      />
      <datalist id={profiles}>
        {PROFILES.map((profile) => (
          <option key={profile} value={profile} />
        ))}
      </datalist>
    </>
  )
}

/** An effort by name; a budget given as something else is kept and can be changed in the file. */
function Reasoning() {
  const { blueprint } = useDraft()
  const value = at(blueprint, 'executor', 'reasoning')
  if (value !== undefined && value !== null && typeof value !== 'string') {
    return <p className="self-center text-muted">Reasoning is set by a budget, and kept as it is.</p>
  }
  return (
    <ChoiceAt
      path={settings('reasoning')}
      label="Reasoning"
      options={[
        ['', 'as the provider does'],
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
      <TextAt path={settings('model')} label="Model" hint="None: the CLI's own choice." />
      <TextAt path={settings('command')} label="Command" placeholder={type === 'codex' ? 'codex' : 'claude'} hint="Another than the one on the path." />
      <LinesAt path={settings('args')} label="More arguments" hint="One a line." />
      <Environment />
      <Timeout usual="3600" />
    </>
  )
}

function Command({ type }: { type: 'process' | 'external' }) {
  const { blueprint } = useDraft()
  const byMode = typeof at(blueprint, 'executor', 'args') === 'string'
  return (
    <>
      <TextAt path={settings('command')} label="Command" hint="The executable." />
      {byMode ? null : <LinesAt path={settings('args')} label="Arguments" hint="One a line." />}
      {type === 'process' ? (
        <ChoiceAt
          path={settings(byMode ? 'args' : 'parameters_as')}
          label="Parameters"
          options={[
            ['', 'json (usual)'],
            ['json', 'json: on stdin'],
            ['flags', 'flags: as --key value'],
            ['both', 'both'],
          ]}
        />
      ) : null}
      <TextAt path={settings('working_dir')} label="Working folder" hint="Inside the project folder." />
      <Environment />
      <Timeout usual="600" />
    </>
  )
}

/** Variables as people write them. */
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
    <Field label="Environment" hint="NAME=value, one a line. Not for secrets: they would be in the agent." error={problem('executor', 'env')}>
      {(ids) => <LinesInput {...ids} className="font-mono" value={lines} onChange={change} />}
    </Field>
  )
}
