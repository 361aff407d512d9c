import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { UnreadProvider, useUnread } from '@/components/unread'
import { type Json, parse, write } from '@/lib/lossless'
import { controlFor, controlOf, resolved } from './controls'
import { type FormError, errorsAtFields, initialValue } from './model'
import { SchemaForm } from './schema-form'

const SCHEMA = parse(`{"type":"object","required":["text","owner","lines"],"properties":{
  "text":{"type":"string"},"level":{"enum":["low",2,null]},"count":{"type":"integer","default":3},
  "owner":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"flag":{"type":"boolean"}}},
  "lines":{"type":"array","items":{"$ref":"#/$defs/line"}},"any":{"anyOf":[true]}},
  "$defs":{"line":{"type":"object","properties":{"n":{"type":"number"}}}}}`)

function Form({ schema = SCHEMA, errors = [] }: { schema?: Json; errors?: FormError[] }) {
  const [value, setValue] = useState<Json | undefined>(() => initialValue(schema, schema))
  const unread = useUnread()
  return (
    <>
      <UnreadProvider value={unread.report}>
        <SchemaForm schema={schema} value={value} onChange={setValue} errors={errors} />
      </UnreadProvider>
      <output>{value === undefined ? '' : write(value)}</output>
      <p data-testid="unread">{unread.problems.join('|')}</p>
    </>
  )
}

const unread = () => screen.getByTestId('unread').textContent

const written = () => screen.getByRole('status').textContent

describe('a form from a schema', () => {
  it('starts with defaults and required objects only', () => {
    render(<Form />)
    expect(written()).toBe('{"count":3,"owner":{}}')
  })

  it('writes typed values, nested and in lists, and omits empty ones', async () => {
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

  it('shows errors at their fields, including those of missing properties', () => {
    const errors = [
      { path: '$', keyword: 'required', message: "missing required property 'text'" },
      { path: '$.owner.name', message: 'it is too short' },
      { path: '$', message: 'something about the whole' },
    ]
    render(<Form errors={errors} />)
    expect(screen.getByLabelText('text').getAttribute('aria-invalid')).toBe('true')
    expect(describedBy('text')).toBe('Required')
    expect(describedBy('name')).toBe('it is too short')
    expect(screen.getByRole('alert').textContent).toBe('something about the whole')
  })

  it('marks invalid JSON', async () => {
    render(<Form />)
    await userEvent.type(screen.getByLabelText(/^any/), '[[1')
    expect(describedBy(/^any/)).toBe('Not valid JSON')
    expect(unread()).toBe('Not valid JSON')
    expect(written()).not.toContain('any')
  })

  it('accepts null as a JSON value', async () => {
    render(<Form />)
    await userEvent.type(screen.getByLabelText(/^any/), 'null')
    expect(unread()).toBe('')
    expect(written()).toContain('"any":null')
  })

  it('reports invalid numbers', async () => {
    render(<Form />)
    const user = userEvent.setup()
    const field = screen.getByLabelText(/^count/)
    for (const text of ['-', '1.', 'abc', '007']) {
      await user.clear(field)
      await user.type(field, '1e3')
      expect(unread()).toBe('')
      await user.clear(field)
      await user.paste(text)
      expect(unread()).toBe(`“${text}” is not a number`)
      expect(describedBy(/^count/)).toBe(unread())
    }
    await user.clear(field)
    expect(unread()).toBe('')
    expect(written()).not.toContain('count')
  })

  it('shows errors without a field above the form', () => {
    const schema = parse('{"type":"object","required":["x"],"properties":{"y":{"type":"object","properties":{"z":{"type":"string"}}}}}')
    const errors = [
      { path: '$', keyword: 'required', message: "missing required property 'x'" },
      { path: '$.y.z', message: 'it is too short' },
    ]
    render(<Form schema={schema} errors={errors} />)
    expect(screen.getByRole('alert').textContent).toBe("missing required property 'x'; $.y.z: it is too short")
  })

  it('shows missing properties of a JSON field', () => {
    render(<Form errors={[{ path: '$.any', keyword: 'required', message: "missing required property 'q'" }]} />)
    expect(describedBy(/^any/)).toBe("missing required property 'q'")
  })

  it('shows nullable values with the control of their type and a null checkbox', async () => {
    render(
      <Form
        schema={parse(`{"type":"object","required":["when","many","on","who","made"],"properties":{
          "when":{"type":["string","null"],"format":"date"},"many":{"type":["integer","null"],"default":null},"on":{"type":["boolean","null"]},
          "who":{"type":["object","null"],"properties":{"name":{"type":"string"}}},"made":{"anyOf":[{"$ref":"#/$defs/day"},{"type":"null"}],"description":"A day"}},
          "$defs":{"day":{"type":"string","format":"date"}}}`)}
      />,
    )
    const user = userEvent.setup()
    expect(written()).toBe('{"many":null}')
    await user.type(screen.getByLabelText('when'), '2026-01-01')
    await user.type(screen.getByLabelText('many'), '4')
    await user.selectOptions(screen.getByLabelText('on'), 'null')
    await user.click(screen.getByLabelText('null for who'))
    await user.click(screen.getByLabelText('null for made'))
    expect(describedBy('made')).toBe('A day')
    expect(written()).toBe('{"many":4,"when":"2026-01-01","on":null,"who":null,"made":null}')
    await user.click(screen.getByLabelText('null for when'))
    await user.type(screen.getByLabelText('made'), '2026-01-02')
    await user.click(screen.getByRole('button', { name: 'who' }))
    await user.type(screen.getByLabelText(/^name/), 'x')
    expect(written()).toBe('{"many":4,"when":null,"on":null,"who":{"name":"x"},"made":"2026-01-02"}')
  })

  it('offers constants by their titles', async () => {
    render(<Form schema={parse('{"type":"object","properties":{"kind":{"oneOf":[{"const":"a","title":"Alpha"},{"const":2}]}}}')} />)
    await userEvent.selectOptions(screen.getByLabelText(/^kind/), 'Alpha')
    expect(written()).toBe('{"kind":"a"}')
    await userEvent.selectOptions(screen.getByLabelText(/^kind/), '2')
    expect(written()).toBe('{"kind":2}')
  })

  it('adds recursive objects only on request', async () => {
    const names = [...'abcdefgh']
    const members = names.map((name) => `"${name}":{"$ref":"#"}`).join()
    const optional = parse(`{"type":"object","properties":{${members},"n":{"type":"integer","default":1}}}`)
    const { unmount } = render(<Form schema={optional} />)
    expect(written()).toBe('{"n":1}')
    await userEvent.click(screen.getByRole('button', { name: 'a optional' }))
    expect(written()).toBe('{"n":1,"a":{"n":1}}')
    unmount()
    render(<Form schema={parse(`{"type":"object","required":${JSON.stringify(names)},"properties":{${members}}}`)} />)
    expect(written()).toBe('{}')
    expect(screen.getAllByRole('button')).toHaveLength(names.length)
  })
})

function describedBy(label: string | RegExp): string | null | undefined {
  const id = screen.getByLabelText(label).getAttribute('aria-describedby')
  return document.getElementById(id ?? '')?.textContent
}

it('chooses controls', () => {
  const controls = {
    '{"type":"string"}': 'text', '{"const":1}': 'choice', '{"type":["string","null"]}': 'text', '{"type":["string","integer"]}': 'json',
    '{"type":"object"}': 'json', true: 'json', '{"enum":[{}]}': 'json', '{"oneOf":[{"const":1},{"type":"string"}]}': 'json',
    '{"anyOf":[{"const":1},{"type":"null"}]}': 'choice', '{"anyOf":[{"type":"number"},{"type":"null"}]}': 'number',
    '{"anyOf":[{"$ref":"#"},{"type":"null"}]}': 'json',
  }
  const found = Object.keys(controls).map((schema) => [schema, controlOf(resolved(parse(schema), parse(schema)))])
  expect(Object.fromEntries(found)).toEqual(controls)
})

it('shows values that do not fit their control as JSON', () => {
  const part = parse('{"type":"string"}')
  expect([parse('5'), null, undefined].map((value) => controlFor(part, value))).toEqual(['json', 'text', 'text'])
  expect([2, parse('{}')].map((value) => controlFor(parse('{"enum":[1]}'), value))).toEqual(['choice', 'json'])
})

it('handles property names with quotes', () => {
  const name = 'it\'s "odd"'
  const schema = parse(JSON.stringify({ type: 'object', properties: { a: { type: 'object', required: [name, 'b'], properties: { [name]: {}, b: {} } } } }))
  const errors = [{ path: '$.a', keyword: 'required', message: 'any words' }, { path: '$.a', keyword: 'required', message: 'other words' }]
  expect(errorsAtFields(errors, schema, parse('{"a":{"b":1}}'))).toEqual([{ path: `$.a[${JSON.stringify(name)}]`, message: 'Required' }])
  expect(errorsAtFields(errors, schema, parse('{"a":{}}'))).toHaveLength(2)
})
