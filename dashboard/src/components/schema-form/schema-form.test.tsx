import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { type Json, parse, write } from '@/lib/lossless'
import { atTheirFields, controlOf, initialValue } from './model'
import { SchemaForm } from './schema-form'

const SCHEMA = parse(`{"type":"object","required":["text","owner","lines"],"properties":{
  "text":{"type":"string"},"level":{"enum":["low",2,null]},"count":{"type":"integer","default":3},
  "owner":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"flag":{"type":"boolean"}}},
  "lines":{"type":"array","items":{"$ref":"#/$defs/line"}},"any":{"anyOf":[true]}},
  "$defs":{"line":{"type":"object","properties":{"n":{"type":"number"}}}}}`)

function Form({ said = [] }: { said?: { path: string; message: string }[] }) {
  const [value, setValue] = useState<Json | undefined>(() => initialValue(SCHEMA, SCHEMA))
  return (
    <>
      <SchemaForm schema={SCHEMA} value={value} onChange={setValue} errors={said} />
      <output>{value === undefined ? '' : write(value)}</output>
    </>
  )
}

const written = () => screen.getByRole('status').textContent

describe('a form from a schema', () => {
  it('begins with defaults and objects that are asked for, and nothing else', () => {
    render(<Form />)
    expect(written()).toBe('{"count":3,"owner":{}}')
  })

  it('writes what is typed, nested and in lists, and leaves out what is empty', async () => {
    render(<Form />)
    const user = userEvent.setup()
    await user.type(screen.getByLabelText('text'), 'hello')
    await user.type(screen.getByLabelText('name'), 'x')
    await user.clear(screen.getByLabelText('name'))
    await user.selectOptions(screen.getByLabelText(/^flag/), 'false')
    await user.selectOptions(screen.getByLabelText(/^level/), '2')
    await user.click(screen.getByRole('button', { name: 'Add to lines' }))
    await user.type(screen.getByLabelText(/^n optional/), '1.50')
    await user.click(screen.getByLabelText(/^any/))
    await user.paste('{"deep": [1]}')
    expect(written()).toBe(
      '{"count":3,"owner":{"flag":false},"text":"hello","level":2,"lines":[{"n":1.50}],"any":{"deep":[1]}}',
    )
    await user.click(screen.getByRole('button', { name: 'Remove lines 1' }))
    expect(written()).toContain('"lines":[]')
  })

  it('shows errors at their fields, those of missing members too', () => {
    const said = [
      { path: '$', message: "required property 'text' is missing" },
      { path: '$.owner.name', message: 'it is too short' },
      { path: '$', message: 'something about the whole' },
    ]
    render(<Form said={said} />)
    expect(screen.getByLabelText('text').getAttribute('aria-invalid')).toBe('true')
    expect(describedBy('text')).toBe('This is required')
    expect(describedBy('name')).toBe('it is too short')
    expect(screen.getByRole('alert').textContent).toBe('something about the whole')
  })

  it('marks JSON that is none', async () => {
    render(<Form />)
    await userEvent.type(screen.getByLabelText(/^any/), '[[1')
    expect(screen.getByText('This is not JSON yet')).toBeTruthy()
    expect(written()).not.toContain('any')
  })
})

function describedBy(label: string): string | null | undefined {
  const id = screen.getByLabelText(label).getAttribute('aria-describedby')
  return document.getElementById(id ?? '')?.textContent
}

it('chooses controls', () => {
  const controls = ['{"type":"string"}', '{"const":1}', '{"type":["string","null"]}', '{"type":"object"}', 'true', '{"enum":[{}]}']
  expect(controls.map((schema) => controlOf(parse(schema)))).toEqual(['text', 'choice', 'json', 'json', 'json', 'json'])
})

it('keeps odd names whole', () => {
  const [error] = atTheirFields([{ path: '$.a', message: "required property 'it's \"odd\"' is missing" }])
  expect(error?.path).toBe('$.a["it\'s \\"odd\\""]')
})
