import { KINDS } from '@/components/graph/kinds'
import { Field, Select } from '@/components/ui'
import { type Json, fromPlain, isMap } from '@/lib/lossless'
import { NumberInput } from '@/components/typed-inputs'
import { useNode } from './node'

const AT_END = 'fail_at_end'

type Choices = readonly (readonly [value: string, label: string])[]

const CHOICES: Choices = [
  ['fail', 'Fail the run'],
  ['continue', 'Continue without it'],
  ['retry', 'Retry'],
]

const CHOICES_PER_ITEM: Choices = [
  ['fail', 'Fail the run'],
  [AT_END, 'Finish all items, then fail the run'],
  ['continue', 'Continue without the failed items'],
  ['retry', 'Retry'],
]

function choiceOf(value: Json | undefined): string {
  if (isMap(value)) return 'retry'
  return value === 'continue' || value === AT_END ? value : 'fail'
}

/** What happens when a node fails. */
export function OnFailure() {
  const { node, part, set, problem } = useNode()
  const choices = KINDS[node.kind].perItem ? CHOICES_PER_ITEM : CHOICES
  const value = part('on_failure')
  const choice = choiceOf(value)
  const choose = (next: string) =>
    set(['on_failure'], next === 'fail' ? undefined : next === 'retry' ? fromPlain({ retry: 1 }) : next)
  return (
    <>
      <Field label="On failure" error={choice === 'retry' ? undefined : problem('on_failure')}>
        {(ids) => (
          <Select {...ids} value={choice} onChange={(event) => choose(event.target.value)}>
            {choices.map(([option, label]) => (
              <option key={option} value={option}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {choice === 'retry' ? (
        <div className="grid grid-cols-2 gap-3">
          <Field label="Retries" error={problem('on_failure', 'retry')}>
            {(ids) => (
              <NumberInput {...ids} counts value={part('on_failure', 'retry')} onChange={(times) => set(['on_failure', 'retry'], times ?? 1)} />
            )}
          </Field>
          <Field label="Then" error={problem('on_failure', 'then')}>
            {(ids) => (
              <Select
                {...ids}
                value={choiceOf(part('on_failure', 'then'))}
                onChange={(event) => set(['on_failure', 'then'], event.target.value === 'fail' ? undefined : event.target.value)}
              >
                {choices.slice(0, -1).map(([option, label]) => (
                  <option key={option} value={option}>
                    {label}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </div>
      ) : null}
    </>
  )
}
