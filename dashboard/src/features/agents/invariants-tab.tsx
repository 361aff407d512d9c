import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { SortableList } from '@/components/sortable'
import { Button, Card, CardBody, Field, Input, Textarea } from '@/components/ui'
import { type Json, type JsonMap, fromPlain, isList, isMap, same, withMember } from '@/lib/lossless'
import { useDraft } from './draft'
import { contractKind } from './model'

interface Rule {
  id: string
  value: JsonMap
}

let lastId = 0
const withId = (value: Json): Rule => {
  lastId += 1
  return { id: `rule-${lastId}`, value: isMap(value) ? value : new Map() }
}

const TEXTS = [
  { name: 'rule', label: 'Rule' },
  { name: 'message', label: 'Error message' },
] as const

/** CEL rules that a schema cannot express. */
export function InvariantsTab() {
  const { blueprint, set, problem } = useDraft()
  const stored = blueprint.get('invariants')
  const list = isList(stored) ? stored : []
  const [rules, setRules] = useState(() => list.map(withId))
  let current = rules
  if (!same(rules.map((rule) => rule.value), list)) {
    // The rules were changed elsewhere: assign new ids.
    current = list.map(withId)
    setRules(current)
  }
  const change = (next: Rule[]) => {
    setRules(next)
    set(['invariants'], next.length === 0 ? undefined : next.map((rule) => rule.value))
  }
  const move = (from: number, to: number) => {
    const copy = [...current]
    copy.splice(to, 0, ...copy.splice(from, 1))
    change(copy)
  }
  return (
    <Card>
      <CardBody className="flex flex-col gap-3">
        <p className="text-muted">
          Rules that a schema cannot express, as CEL expressions over <code>output</code> and <code>input</code>. If one fails, its
          message goes back to the model and the answer is retried.
        </p>
        {contractKind(blueprint) === 'none' ? <p className="text-warning">Invariants need an output contract, and this agent has none.</p> : null}
        <SortableList
          items={current}
          label="Invariants"
          nameOf={(rule) => `invariant ${current.indexOf(rule) + 1}`}
          onMove={move}
          className="flex flex-col gap-2 empty:hidden"
        >
          {(rule, handle, index) => (
            <div className="flex items-start gap-2 rounded-md border bg-surface p-2">
              {handle}
              <div className="grid flex-1 gap-2 lg:grid-cols-2">
                {TEXTS.map(({ name, label }) => (
                  <RuleText
                    key={name}
                    rule={rule}
                    name={name}
                    label={label}
                    problem={problem('invariants', String(index), name)}
                    onChange={(value) => change(current.map((each) => (each.id === rule.id ? { ...each, value } : each)))}
                  />
                ))}
              </div>
              <Button
                variant="ghost"
                size="icon"
                aria-label={`Remove invariant ${index + 1}`}
                title="Remove"
                onClick={() => change(current.filter((each) => each.id !== rule.id))}
              >
                <Trash2 aria-hidden />
              </Button>
            </div>
          )}
        </SortableList>
        <Button size="small" className="self-start" onClick={() => change([...current, withId(fromPlain({ rule: '', message: '' }))])}>
          <Plus aria-hidden /> Add invariant
        </Button>
      </CardBody>
    </Card>
  )
}

interface TextProps {
  rule: Rule
  name: 'rule' | 'message'
  label: string
  problem: string | undefined
  onChange: (value: JsonMap) => void
}

function RuleText({ rule, name, label, problem, onChange }: TextProps) {
  const value = rule.value.get(name)
  const text = typeof value === 'string' ? value : ''
  return (
    <Field label={label} error={problem}>
      {(ids) =>
        name === 'rule' ? (
          <Textarea
            {...ids}
            rows={2}
            spellCheck={false}
            className="min-h-8 font-mono"
            placeholder='output.counts.fix == output.entries.filter(e, e.kind == "fix").size()'
            value={text}
            onChange={(event) => onChange(withMember(rule.value, name, event.target.value))}
          />
        ) : (
          <Input
            {...ids}
            placeholder="counts.fix must be the number of entries of kind fix"
            value={text}
            onChange={(event) => onChange(withMember(rule.value, name, event.target.value))}
          />
        )
      }
    </Field>
  )
}
