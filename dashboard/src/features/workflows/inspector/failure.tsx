import { Field, Select } from '@/components/ui'
import { type Json, fromPlain, isMap } from '@/lib/lossless'
import { NumberInput } from '@/components/typed-inputs'
import { useNode } from './node'

const WAYS = [
  ['fail', 'Fail the run'],
  ['continue', 'Continue without it'],
  ['retry', 'Retry'],
] as const

function wayOf(value: Json | undefined): string {
  if (isMap(value)) return 'retry'
  return value === 'continue' ? 'continue' : 'fail'
}

/** What happens when a node fails. */
export function OnFailure() {
  const { part, set, problem } = useNode()
  const value = part('on_failure')
  const way = wayOf(value)
  const choose = (next: string) =>
    set(['on_failure'], next === 'fail' ? undefined : next === 'retry' ? fromPlain({ retry: 1 }) : 'continue')
  return (
    <>
      <Field label="On failure" error={way === 'retry' ? undefined : problem('on_failure')}>
        {(ids) => (
          <Select {...ids} value={way} onChange={(event) => choose(event.target.value)}>
            {WAYS.map(([option, label]) => (
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
                value={part('on_failure', 'then') === 'continue' ? 'continue' : 'fail'}
                onChange={(event) => set(['on_failure', 'then'], event.target.value === 'fail' ? undefined : 'continue')}
              >
                <option value="fail">fail</option>
                <option value="continue">continue</option>
              </Select>
            )}
          </Field>
        </div>
      ) : null}
    </>
  )
}
