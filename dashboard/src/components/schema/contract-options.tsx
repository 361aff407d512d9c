import { NumberInput } from '@/components/typed-inputs'
import { Field, Select } from '@/components/ui'
import { Exact, type Json, type JsonMap, withMember } from '@/lib/lossless'

interface Props {
  value: JsonMap
  onChange: (options: JsonMap) => void
  /** How many retries there are where nothing is said. */
  usualRetries: number
}

const CHOICES = [
  {
    name: 'strategy',
    label: 'Strategy',
    hint: 'How the model is held to the contract while it writes.',
    options: [
      ['auto', 'auto: the strongest that works'],
      ['native', "native: the provider's own constraint"],
      ['tool', 'tool: a tool to submit the result with'],
      ['prompt', 'prompt: instructions only'],
    ],
  },
  {
    name: 'validation_mode',
    label: 'Validation',
    hint: 'Lenient mends slips that leave no doubt, and records each.',
    options: [
      ['strict', 'strict'],
      ['lenient', 'lenient'],
    ],
  },
  {
    name: 'extract_json',
    label: 'JSON in prose or a fence',
    options: [
      [true, 'may be taken out'],
      [false, 'is refused'],
    ],
  },
  {
    name: 'strict_json_only',
    label: 'Any text around the JSON',
    options: [
      [false, 'is let through'],
      [true, 'fails the answer'],
    ],
  },
] as const

/** The options of an output contract. What is not set comes from the server's configuration. */
export function ContractOptions({ value, onChange, usualRetries }: Props) {
  const set = (name: string, next: Json | undefined) => onChange(withMember(value, name, next))
  const retries = value.get('max_retries')
  const outside = typeof retries === 'number' && (retries > 10 || !Number.isInteger(retries))
  return (
    <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
      <Field
        label="Retries"
        hint={`How often a model is asked again, 0 to 10; ${usualRetries} where nothing is said.`}
        error={outside ? 'From 0 to 10' : undefined}
      >
        {(ids) => (
          <NumberInput
            {...ids}
            counts
            placeholder={String(usualRetries)}
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
                set(choice.name, event.target.value === '' ? undefined : (JSON.parse(event.target.value) as string | boolean))
              }
            >
              <option value="">as configured</option>
              {choice.options.map(([option, label]) => (
                <option key={label} value={JSON.stringify(option)}>
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
