/** A request for input, as its page shows it. Pure. */
import type { Api } from '@/api'
import { type FormError, initialValue } from '@/components/schema-form'
import { type Json, type JsonMap, at, isList, isMap, parse, same, toPlain, withMember, write } from '@/lib/lossless'

export interface Request {
  view: Api.InputRequest
  schema: Json
  /** What the form begins with. */
  initial: Json | undefined
  /** What is wrong with the value that a correction begins with. */
  errors: readonly FormError[]
  /** The input of the run, the arguments of the tool and the answer, in their own digits. */
  input: Json | undefined
  arguments: Json | undefined
  answer: Json | undefined
}

/** Reads a request from the text of the server's answer, so that numbers keep their digits. */
export function readRequest(text: string): Request {
  const json = parse(text)
  const view = toPlain(json) as Api.InputRequest
  const schema = at(json, 'schema') ?? true
  return {
    view,
    schema,
    initial: at(json, 'default') ?? initialValue(schema, schema),
    errors: view.errors ?? [],
    input: at(json, 'input'),
    arguments: at(json, 'tool', 'arguments'),
    answer: at(json, 'answer'),
  }
}

/** The body of an answer. What was left empty is null: the server says what it expects instead. */
export function answerBody(answer: Json | undefined, digest: string): string {
  return write(new Map<string, Json>([['answer', answer ?? null], ['digest', digest]]))
}

/** The answer to a request for approval. */
export function decision(approve: boolean, reason: string): Json {
  const said = reason.trim()
  return new Map<string, Json>([['approve', approve], ...(said === '' ? [] : [['reason', said] as const])])
}

/** The address of the form for a one-time link. The token is in the fragment, which browsers do not send. */
export function linkAddress(origin: string, base: string, token: string): string {
  return `${origin}${base}answer#${token}`
}

const EXAMPLES = 'examples'

function exampleOf(input: Json, output: Json): JsonMap {
  return new Map([['input', input], ['output', output]])
}

export function hasExample(blueprint: Json, input: Json, output: Json): boolean {
  const examples = at(blueprint, EXAMPLES)
  return isList(examples) && examples.some((example) => same(example, exampleOf(input, output)))
}

/** An agent with one more example: an input and the right output for it. */
export function withExample(blueprint: Json, input: Json, output: Json): JsonMap {
  const map: JsonMap = isMap(blueprint) ? blueprint : new Map()
  const examples = map.get(EXAMPLES)
  return withMember(map, EXAMPLES, [...(isList(examples) ? examples : []), exampleOf(input, output)])
}
