import { expect, it } from 'vitest'
import { parse, write } from '@/lib/lossless'
import { answerBody, decision, hasExample, linkAddress, readRequest, withExample } from './model'

const BIG = '12345678901234567890.10'

const SCHEMA = '{"type":"object","required":["n","ok"],"properties":{"n":{"type":"number"},"ok":{"type":"boolean","default":true}}}'

it('reads a request without losing digits', () => {
  const request = readRequest(
    `{"id":"inp_1","purpose":"correction","schema":${SCHEMA},"default":{"n":${BIG}},"input":{"at":${BIG}},` +
      `"tool":{"name":"pay","arguments":{"amount":${BIG}}},"errors":[{"path":"$","pointer":"","keyword":"required","message":"missing"}]}`,
  )
  expect([request.initial, request.input, request.arguments].map((value) => value && write(value))).toEqual([
    `{"n":${BIG}}`,
    `{"at":${BIG}}`,
    `{"amount":${BIG}}`,
  ])
  expect(request.errors).toHaveLength(1)
  expect(request.answer).toBeUndefined()
})

it('starts with the defaults of the schema if there is no value', () => {
  const { initial, errors } = readRequest(`{"id":"inp_1","purpose":"task","schema":${SCHEMA}}`)
  expect(initial && write(initial)).toBe('{"ok":true}')
  expect(errors).toEqual([])
})

it('sends the typed answer with the digest', () => {
  expect(answerBody(parse(`{"n":${BIG}}`), 'abc')).toBe(`{"answer":{"n":${BIG}},"digest":"abc"}`)
  expect(answerBody(undefined, 'abc')).toBe('{"answer":null,"digest":"abc"}')
})

it('omits an empty reason', () => {
  expect([write(decision(true, ' ')), write(decision(false, ' no '))]).toEqual(['{"approve":true}', '{"approve":false,"reason":"no"}'])
})

it('puts the token of a link in the fragment', () => {
  expect(linkAddress('http://localhost:8765', '/ui/', 'inp_1.ab')).toBe('http://localhost:8765/ui/answer#inp_1.ab')
})

it('adds an example and recognizes it', () => {
  const [input, output] = [parse('{"prompt":"x"}'), parse(`{"n":${BIG}}`)]
  const agent = parse('{"name":"a","examples":[{"input":{"prompt":"y"},"output":1}],"tags":["t"]}')
  const more = withExample(agent, input, output)
  expect(write(more)).toBe(
    `{"name":"a","examples":[{"input":{"prompt":"y"},"output":1},{"input":{"prompt":"x"},"output":{"n":${BIG}}}],"tags":["t"]}`,
  )
  expect([hasExample(agent, input, output), hasExample(more, input, output)]).toEqual([false, true])
  expect(write(withExample(parse('{"name":"a"}'), input, 2))).toBe('{"name":"a","examples":[{"input":{"prompt":"x"},"output":2}]}')
})
