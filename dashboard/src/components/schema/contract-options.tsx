import { NumberInput } from '@/components/typed-inputs'
import { Field, Select } from '@/components/ui'
import { Exact, type Json, type JsonMap, withMember } from '@/lib/lossless'

interface Props {
  value: JsonMap
  onChange: (options: JsonMap) => void
  /** The default number of retries. */
  defaultRetries: number
}

const CHOICES = [
  {
    name: 'strategy',
    label: 'Strategy',
    hint: 'How the schema is enforced while the model writes.',
    options: [
      ['auto', 'auto: the strongest supported'],
      ['native', "native: the provider's structured output"],
      ['tool', 'tool: a tool call that submits the result'],
      ['prompt', 'prompt: instructions only'],
    ],
  },
  {
    name: 'validation_mode',
    label: 'Validation',
    hint: 'Lenient auto-fixes unambiguous JSON errors and logs each fix.',
    options: [
      ['strict', 'strict'],
      ['lenient', 'lenient'],
    ],
  },
  {
    name: 'extract_json',
    label: 'Extract JSON from text',
    hint: 'Code fences only is the safer choice for agents whose results act on something.',
    options: [
      [true, 'from fences and prose'],
      [['fence'], 'only from code fences'],
      [['prose'], 'only from prose'],
      [false, 'reject'],
    ],
  },
  {
    name: 'embedded',
    label: 'Value found in prose',
    options: [
      ['accept', 'accept'],
      ['confirm', 'confirm: ask for it alone, costs a retry'],
    ],
  },
  {
    name: 'on_failure',
    label: 'If no answer matches',
    hint: 'Ask lets a person correct the closest answer.',
    options: [
      ['fail', 'fail the run'],
      ['ask', 'ask a person'],
    ],
  },
  {
    name: 'strict_json_only',
    label: 'Text around the JSON',
    options: [
      [false, 'allow'],
      [true, 'reject'],
    ],
  },
] as const

/** Whether the value is not among the options: an equivalent notation, or a mistake. */
function isOther(options: readonly (readonly [unknown, string])[], value: Json | undefined): boolean {
  return value !== undefined && !options.some(([option]) => JSON.stringify(option) === JSON.stringify(value))
}

/** The options of an output contract. Unset options use the server's defaults. */
export function ContractOptions({ value, onChange, defaultRetries }: Props) {
  const set = (name: string, next: Json | undefined) => onChange(withMember(value, name, next))
  const retries = value.get('max_retries')
  const outside = typeof retries === 'number' && (retries > 10 || !Number.isInteger(retries))
  return (
    <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
      <Field
        label="Retries"
        hint={`How often an invalid answer is retried, 0 to 10. Default: ${defaultRetries}.`}
        error={outside ? 'Expected 0 to 10' : undefined}
      >
        {(ids) => (
          <NumberInput
            {...ids}
            counts
            placeholder={String(defaultRetries)}
            value={typeof retries === 'number' || retries instanceof Exact ? retries : undefined}
            onChange={(next) => set('max_retries', next)}
          />
        )}
      </Field>
      {CHOICES.map((choice) => (
        <Field key={choice.name} label={choice.label} hint={'hint' in choice ? choice.hint : undefined}>
          {(ids) => (
            <Select
              {...ids}
              value={value.has(choice.name) ? JSON.stringify(value.get(choice.name)) : ''}
              onChange={(event) =>
                set(choice.name, event.target.value === '' ? undefined : (JSON.parse(event.target.value) as string | boolean | string[]))
              }
            >
              <option value="">server default</option>
              {isOther(choice.options, value.get(choice.name)) ? (
                <option value={JSON.stringify(value.get(choice.name))}>{JSON.stringify(value.get(choice.name))}</option>
              ) : null}
              {choice.options.map(([option, label]) => (
                <option key={`${choice.name} ${label}`} value={JSON.stringify(option)}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ))}
    </div>
  )
}
