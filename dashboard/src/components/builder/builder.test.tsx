import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { UnreadProvider, useUnread } from '@/components/unread'
import { type Json, parse, write } from '@/lib/lossless'
import { FieldBuilder } from './builder'

function Page({ schema }: { schema: string }) {
  const [value, setValue] = useState<Json>(() => parse(schema))
  const unread = useUnread()
  return (
    <UnreadProvider value={unread.report}>
      <FieldBuilder value={value} onChange={setValue} preview={false} />
      <output aria-label="Written">{write(value)}</output>
      <output aria-label="Problems">{unread.problems.join('|')}</output>
      <button type="button" onClick={() => setValue(parse('{"type":"object","properties":{"other":{"type":"number"}}}'))}>
        Elsewhere
      </button>
    </UnreadProvider>
  )
}

const written = () => screen.getByLabelText('Written').textContent
const problems = () => screen.getByLabelText('Problems').textContent

describe('the field builder', () => {
  it('adds, names, types and constrains a field', async () => {
    render(<Page schema='{"type":"object","properties":{}}' />)
    const user = userEvent.setup()
    await user.click(screen.getByRole('button', { name: 'Add field' }))
    const name = screen.getByLabelText('Name')
    expect(document.activeElement).toBe(name)
    // A new field's name is selected, so that typing replaces it.
    await user.paste('severity')
    await user.selectOptions(screen.getByLabelText('Type of severity'), 'enum')
    await user.clear(screen.getByLabelText('Allowed values, one per line'))
    await user.paste('low\nhigh\n')
    await user.click(screen.getByLabelText('Description of severity'))
    await user.paste('How bad')
    expect(written()).toBe(
      '{"type":"object","properties":{"severity":{"type":"string","description":"How bad","enum":["low","high"]}},"required":["severity"]}',
    )
    await user.click(screen.getByLabelText('severity is required'))
    expect(written()).not.toContain('required')
    await user.click(screen.getByRole('button', { name: 'Remove severity' }))
    expect(written()).toBe('{"type":"object","properties":{}}')
  })

  it('writes an enum only after it has a value', async () => {
    render(<Page schema='{"type":"object","properties":{"a":{"type":"string"}}}' />)
    const user = userEvent.setup()
    await user.selectOptions(screen.getByLabelText('Type of a'), 'enum')
    expect(screen.getByText('Enter at least one value')).toBeTruthy()
    expect(problems()).toBe('a needs at least one allowed value')
    expect(written()).toBe('{"type":"object","properties":{"a":{"type":"string"}}}')
    await user.type(screen.getByLabelText('Allowed values, one per line'), 'low')
    expect(problems()).toBe('')
    expect(written()).toBe('{"type":"object","properties":{"a":{"type":"string","enum":["low"]}}}')
  })

  it('does not write duplicate names and reports them', async () => {
    render(<Page schema='{"type":"object","properties":{"a":true,"b":true}}' />)
    const user = userEvent.setup()
    const [, second] = screen.getAllByLabelText('Name')
    if (second === undefined) throw new Error('the field is gone')
    const before = written()
    await user.clear(second)
    await user.type(second, 'a')
    expect(problems()).toBe('A field named a already exists')
    expect(written()).toBe(before)
    await user.type(second, 'c')
    expect(problems()).toBe('')
    expect(written()).toBe('{"type":"object","properties":{"a":true,"ac":true}}')
  })

  it('marks keywords that it cannot show, and keeps them on other changes', async () => {
    const kept = '"allOf":[{"minProperties":1}]'
    render(<Page schema={`{"type":"object","properties":{"a":{"type":"string","x-key":1},"b":{"$ref":"#/x"}},${kept}}`} />)
    expect(screen.getByText('Kept as written: allOf')).toBeTruthy()
    expect(screen.getByText('Kept as written: x-key')).toBeTruthy()
    expect(screen.getByText('Kept as written; to change it, switch to code')).toBeTruthy()
    await userEvent.type(screen.getByLabelText('Description of a'), 'd')
    expect(written()).toBe(
      `{"type":"object","properties":{"a":{"type":"string","x-key":1,"description":"d"},"b":{"$ref":"#/x"}},${kept}}`,
    )
  })

  it('turns the schema into a list and edits its items', async () => {
    render(<Page schema='{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{}}}}}' />)
    const user = userEvent.setup()
    await user.click(screen.getByRole('radio', { name: 'List of items' }))
    const inner = screen.getByRole('list', { name: 'Fields of each item of a' })
    const add = inner.parentElement?.querySelector('button:last-of-type')
    await user.click(add as Element)
    expect(within(inner).getByLabelText('Name')).toHaveProperty('value', 'field_1')
    expect(written()).toContain('{"type":"array","items":{"type":"object","properties":{"a":{"type":"array"')
    expect(written()).toContain('"field_1":{"type":"string"}')
  })

  it('shows a schema that was changed elsewhere', async () => {
    render(<Page schema='{"type":"object","properties":{"a":true}}' />)
    await userEvent.click(screen.getByRole('button', { name: 'Elsewhere' }))
    expect(screen.getByLabelText('Name')).toHaveProperty('value', 'other')
  })

  it('offers to start over for a schema that it cannot show', async () => {
    render(<Page schema='{"oneOf":[{"type":"object"}]}' />)
    expect(written()).toBe('{"oneOf":[{"type":"object"}]}')
    await userEvent.click(screen.getByRole('button', { name: 'Start over with fields' }))
    expect(written()).toContain('"type":"object"')
  })
})
