import { Field, Select } from '@/components/ui'
import { type Json, fromPlain, isMap } from '@/lib/lossless'
import { NumberInput } from '@/components/typed-inputs'
import { useNode } from './node'

const AT_END = 'fail_at_end'

type Ways = readonly (readonly [value: string, label: string])[]

const WAYS: Ways = [
  ['fail', 'Fail the run'],
  ['continue', 'Continue without it'],
  ['retry', 'Retry'],
]

const WAYS_OF_MAP: Ways = [
  ['fail', 'Fail the run'],
  [AT_END, 'Finish all items, then fail the run'],
  ['continue', 'Continue without the failed items'],
  ['retry', 'Retry'],
]

function wayOf(value: Json | undefined): string {
  if (isMap(value)) return 'retry'
  return value === 'continue' || value === AT_END ? value : 'fail'
}

/** What happens when a node fails. */
export function OnFailure() {
  const { node, part, set, problem } = useNode()
  const ways = node.kind === 'map' ? WAYS_OF_MAP : WAYS
  const value = part('on_failure')
  const way = wayOf(value)
  const choose = (next: string) =>
    set(['on_failure'], next === 'fail' ? undefined : next === 'retry' ? fromPlain({ retry: 1 }) : next)
  return (
    <>
      <Field label="On failure" error={way === 'retry' ? undefined : problem('on_failure')}>
        {(ids) => (
          <Select {...ids} value={way} onChange={(event) => choose(event.target.value)}>
            {ways.map(([option, label]) => (
              <option key={option} value={option}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {way === 'retry' ? (
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
                value={wayOf(part('on_failure', 'then'))}
                onChange={(event) => set(['on_failure', 'then'], event.target.value === 'fail' ? undefined : event.target.value)}
              >
                {ways.slice(0, -1).map(([option, label]) => (
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
