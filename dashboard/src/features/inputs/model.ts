/** Reads input requests and builds answers. */
import type { Api } from '@/api'
import { type FormError, initialValue } from '@/components/schema-form'
import { type Json, type JsonMap, at, isList, isMap, parse, same, toPlain, withMember, write } from '@/lib/lossless'

export interface Request {
  view: Api.InputRequest
  schema: Json
  /** The initial value of the form. */
  initial: Json | undefined
  /** The errors of the value that is to be corrected. */
  errors: readonly FormError[]
  /** The input of the run, the arguments of the tool and the answer, with the original digits of numbers. */
  input: Json | undefined
  arguments: Json | undefined
  answer: Json | undefined
}

/** Parses a request losslessly, so that numbers keep their digits. */
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

/** The body of an answer. An empty answer is sent as null, and the server reports what it expects. */
export function answerBody(answer: Json | undefined, digest: string): string {
  return write(new Map<string, Json>([['answer', answer ?? null], ['digest', digest]]))
}

/** The answer to a request for approval. */
export function decision(approve: boolean, reason: string): Json {
  const trimmed = reason.trim()
  return new Map<string, Json>([['approve', approve], ...(trimmed === '' ? [] : [['reason', trimmed] as const])])
}

/** The URL of a one-time link. The token is in the fragment, which browsers do not send to the server. */
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

/** Adds an example, an input with its correct output, to a blueprint. */
export function withExample(blueprint: Json, input: Json, output: Json): JsonMap {
  const map: JsonMap = isMap(blueprint) ? blueprint : new Map()
  const examples = map.get(EXAMPLES)
  return withMember(map, EXAMPLES, [...(isList(examples) ? examples : []), exampleOf(input, output)])
}
