/** Labelled controls bound to a path of the draft, with the problems at that path. */
import type { ReactNode } from 'react'
import { LinesInput, NumberInput } from '@/components/typed-inputs'
import { Field, Input, Select } from '@/components/ui'
import { type Json, at, isList } from '@/lib/lossless'
import { useDraft } from './draft'

interface Props {
  path: readonly string[]
  label: ReactNode
  hint?: ReactNode
  className?: string
  placeholder?: string
}

export function TextAt({ path, label, hint, className, placeholder, list }: Props & { list?: string }) {
  const { blueprint, set, problem } = useDraft()
  const value = at(blueprint, ...path)
  return (
    <Field label={label} hint={hint} className={className} error={problem(...path)}>
      {(ids) => (
        <Input
          {...ids}
          data-agent-name={path.join() === 'name' ? true : undefined}
          list={list}
          placeholder={placeholder}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => set(path, event.target.value === '' && path.length > 1 ? undefined : event.target.value)}
        />
      )}
    </Field>
  )
}

export function NumberAt({ path, label, hint, className, placeholder, counts }: Props & { counts?: boolean }) {
  const { blueprint, set, problem } = useDraft()
  return (
    <Field label={label} hint={hint} className={className} error={problem(...path)}>
      {(ids) => (
        <NumberInput
          {...ids}
          counts={counts}
          placeholder={placeholder}
          value={at(blueprint, ...path)}
          onChange={(value) => set(path, value)}
        />
      )}
    </Field>
  )
}

interface LinesProps extends Props {
  /** Converts an item to a line. Without it, only strings are shown. */
  lineOf?: (item: Json) => string
  itemOf?: (line: string) => Json
}

export function LinesAt({ path, label, hint, className, placeholder, lineOf, itemOf }: LinesProps) {
  const { blueprint, set, problem } = useDraft()
  const value = at(blueprint, ...path)
  const items = isList(value) ? value : []
  const lines = lineOf ? items.map(lineOf) : items.filter((line): line is string => typeof line === 'string')
  return (
    <Field label={label} hint={hint} className={className} error={problem(...path)}>
      {(ids) => (
        <LinesInput
          {...ids}
          placeholder={placeholder}
          value={lines}
          onChange={(next) => set(path, next.length === 0 ? undefined : itemOf ? next.map(itemOf) : next)}
        />
      )}
    </Field>
  )
}

interface ChoiceProps extends Props {
  options: readonly (readonly [value: string, label: string])[]
}

export function ChoiceAt({ path, label, hint, className, options }: ChoiceProps) {
  const { blueprint, set, problem } = useDraft()
  const value = at(blueprint, ...path)
  return (
    <Field label={label} hint={hint} className={className} error={problem(...path)}>
      {(ids) => (
        <Select
          {...ids}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => set(path, event.target.value === '' ? undefined : event.target.value)}
        >
          {options.map(([option, name]) => (
            <option key={option} value={option}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
