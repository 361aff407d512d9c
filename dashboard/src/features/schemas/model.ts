/** Reads and summarizes registered schemas. */
import type { Api } from '@/api'
import { type Json, at, fromPlain, parse, toPlain, write } from '@/lib/lossless'

/** A registered schema. The text keeps the order of members and the digits of numbers. */
export interface Registered {
  view: Api.SchemaView
  text: string
}

export function readRegistered(answer: string): Registered {
  const json = parse(answer)
  return { view: toPlain(json) as Api.SchemaView, text: write(at(json, 'schema') ?? null, 2) }
}

/** A short summary of the first level of a schema. */
export function shapeOf(schema: Record<string, unknown>): string {
  const properties = schema['properties']
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'any'
  if (typeof properties !== 'object' || properties === null) return type
  const names = Object.keys(properties)
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown}, … ${names.length} fields` : shown
}

/** The initial value of a new schema. */
export const exampleSchema = (): Json =>
  fromPlain({
    type: 'object',
    required: ['title', 'severity'],
    additionalProperties: false,
    properties: {
      title: { type: 'string', minLength: 1 },
      severity: { type: 'string', enum: ['low', 'medium', 'high'] },
    },
  })
