import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { CodeEditor } from '@/components/code'
import { Button, Card, CardBody, CardHeader, Field, Input } from '@/components/ui'
import { useReport } from '@/components/unread'
import { type Json, fromPlain, isMap, parse, same, write } from '@/lib/lossless'
import { useDraft } from './draft'

const KINDS = [
  { label: 'Command', name: 'program', value: { command: '', args: [] } },
  { label: 'URL', name: 'remote', value: { url: 'https://' } },
  { label: 'Accord', name: 'accord', value: {} },
] as const

/** Edits MCP servers by name, each as JSON. */
export function Servers() {
  const { blueprint, set, problem } = useDraft()
  const value = blueprint.get('mcp_servers')
  const servers = isMap(value) ? [...value] : []
  const keep = (next: [string, Json][]) => set(['mcp_servers'], next.length === 0 ? undefined : new Map(next))
  const add = ({ name, value: server }: (typeof KINDS)[number]) => {
    let free: string = name
    for (let number = 2; servers.some(([known]) => known === free); number += 1) free = `${name}-${number}`
    keep([...servers, [free, fromPlain(server)]])
  }
  return (
    <Card aria-labelledby="servers">
      <CardHeader title="MCP servers" id="servers" />
      <CardBody className="flex flex-col gap-3">
        {servers.length === 0 ? <p className="text-muted">None. The model gets each server's tools under the server's name.</p> : null}
        {servers.map(([name, server], index) => (
          <Server
            key={index}
            name={name}
            server={server}
            taken={servers.some(([known], other) => known === name && other !== index)}
            problem={problem('mcp_servers', name)}
            onName={(next) => keep(servers.map((each, at) => (at === index ? [next, each[1]] : each)))}
            onServer={(next) => keep(servers.map((each, at) => (at === index ? [each[0], next] : each)))}
            onRemove={() => keep(servers.filter((_, at) => at !== index))}
          />
        ))}
        <div className="flex flex-wrap gap-2">
          {KINDS.map((kind) => (
            <Button key={kind.name} size="small" onClick={() => add(kind)}>
              <Plus aria-hidden /> {kind.label}
            </Button>
          ))}
        </div>
      </CardBody>
    </Card>
  )
}

interface Props {
  name: string
  server: Json
  taken: boolean
  problem: string | undefined
  onName: (name: string) => void
  onServer: (server: Json) => void
  onRemove: () => void
}

function Server({ name, server, taken, problem, onName, onServer, onRemove }: Props) {
  const [typed, setTyped] = useState(name)
  const [text, setText] = useState(() => write(server, 2))
  const [mistake, setMistake] = useState<string | null>(null)
  useReport(mistake === null ? null : `MCP server ${name}: ${mistake}`)
  const change = (next: string) => {
    setText(next)
    try {
      const value = parse(next)
      setMistake(null)
      if (!same(value, server)) onServer(value)
    } catch (error) {
      setMistake(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <div className="flex flex-col gap-2 rounded-md border p-2">
      <div className="flex items-end gap-2">
        <Field label="Name" className="flex-1" error={taken ? 'This name is taken' : undefined}>
          {(ids) => (
            <Input
              {...ids}
              className="font-mono"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              onBlur={() => (typed !== '' && typed !== name ? onName(typed) : setTyped(name))}
            />
          )}
        </Field>
        <Button variant="ghost" size="icon" aria-label={`Remove ${name}`} title="Remove" onClick={onRemove}>
          <Trash2 aria-hidden />
        </Button>
      </div>
      <div className="h-36">
        <CodeEditor value={text} onChange={change} language="json" label={`Settings of ${name}`} />
      </div>
      {(mistake ?? problem) ? <p className="text-danger">{mistake ?? problem}</p> : null}
    </div>
  )
}
