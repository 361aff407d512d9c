/** The constraints that the builder offers for each type, and the keywords of a schema that it cannot show. */
import { Exact, type Json, isMap } from '@/lib/lossless'
import { type FieldType, type Part, typeOf } from './model'

export interface Constraint {
  keyword: string
  label: string
  kind: 'count' | 'number' | 'text' | 'format' | 'flag' | 'closed'
}

const NUMERIC: Constraint[] = [
  { keyword: 'minimum', label: 'Minimum', kind: 'number' },
  { keyword: 'maximum', label: 'Maximum', kind: 'number' },
  { keyword: 'exclusiveMinimum', label: 'Greater than', kind: 'number' },
  { keyword: 'exclusiveMaximum', label: 'Less than', kind: 'number' },
  { keyword: 'multipleOf', label: 'Multiple of', kind: 'number' },
]

export const CONSTRAINTS: Record<FieldType, Constraint[]> = {
  string: [
    { keyword: 'minLength', label: 'Min length', kind: 'count' },
    { keyword: 'maxLength', label: 'Max length', kind: 'count' },
    { keyword: 'format', label: 'Format', kind: 'format' },
    { keyword: 'pattern', label: 'Pattern', kind: 'text' },
  ],
  integer: NUMERIC,
  number: NUMERIC,
  boolean: [],
  enum: [],
  object: [{ keyword: 'additionalProperties', label: 'Disallow extra fields', kind: 'closed' }],
  array: [
    { keyword: 'minItems', label: 'Min items', kind: 'count' },
    { keyword: 'maxItems', label: 'Max items', kind: 'count' },
    { keyword: 'uniqueItems', label: 'Unique items', kind: 'flag' },
  ],
}

/** The formats that the server validates. */
export const FORMATS = [
  'date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uri-reference', 'uuid', 'regex',
  'json-pointer',
]

function fits(kind: Constraint['kind'], value: Json): boolean {
  switch (kind) {
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0
    case 'number':
      return typeof value === 'number' || value instanceof Exact
    case 'text':
    case 'format':
      return typeof value === 'string'
    case 'flag':
    case 'closed':
      return typeof value === 'boolean'
  }
}

const STRUCTURE: Record<FieldType, string[]> = {
  string: [],
  integer: [],
  number: [],
  boolean: [],
  enum: ['enum'],
  object: ['properties', 'required'],
  array: ['items'],
}

/** The keywords that the controls of a type write. They are dropped when the type changes. */
export function ownKeywords(type: FieldType): string[] {
  return [...STRUCTURE[type], ...CONSTRAINTS[type].map((constraint) => constraint.keyword)]
}

/** The keywords that are kept unchanged because no control shows them. */
export function keptKeywords(part: Part): string[] {
  const type = typeOf(part.keywords)
  if (type === 'other' || !isMap(part.keywords)) return []
  const shown = new Set(['type'])
  if (typeof part.keywords.get('description') === 'string') shown.add('description')
  if (type === 'enum') shown.add('enum')
  if (part.fields !== null) shown.add('properties')
  if (part.required !== null) shown.add('required')
  if (part.items !== null) shown.add('items')
  for (const { keyword, kind } of CONSTRAINTS[type]) {
    const value = part.keywords.get(keyword)
    if (value !== undefined && fits(kind, value)) shown.add(keyword)
  }
  return [...part.keywords.keys()].filter((keyword) => !shown.has(keyword))
}
