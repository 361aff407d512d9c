import { describe, expect, it } from 'vitest'
import { type Json, isMap, numberOf, parse, write } from '@/lib/lossless'
import { keptKeywords } from './constraints'
import {
  freshRoot, movedField, nameProblems, shapeOf, withField, withFields, withKeyword, withNewField, withNullable, withShape,
  withType, withoutField,
} from './edit'
import { type Part, countFields, readSchema, typeOf, writeSchema } from './model'

/** A seeded pseudo-random generator (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const KEYWORDS = [
  'type', 'properties', 'required', 'items', 'enum', 'description', 'minLength', 'minimum', 'additionalProperties', '$ref',
  'anyOf', 'allOf', 'const', 'title', 'default', '$defs', 'x-key', 'uniqueItems', 'format', 'patternProperties', 'not',
]
const NAMES = ['a', '1', '0', '__proto__', 'type', 'constructor', '', 'a b', 'é', 'required', '10']
const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null', 'enum', 'strange']

/** Random schemas, sometimes with invalid parts. */
function anySchema(next: () => number, depth: number): Json {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
  const names = () => NAMES.filter(() => next() < 0.25).sort(() => next() - 0.5)
  const odd = (): Json => pick<Json>([null, true, false, 0, numberOf('1.0'), numberOf('12345678901234567890'), 'x', [], new Map(), ['a', 1]])
  const some = (): Json => (depth > 0 ? anySchema(next, depth - 1) : true)
  const value = (keyword: string): Json => {
    if (next() < 0.08) return odd()
    switch (keyword) {
      case 'type':
        return next() < 0.8 ? pick(TYPES) : [pick(TYPES), 'null']
      case 'properties':
      case '$defs':
      case 'patternProperties':
        return new Map(names().map((name) => [name, some()]))
      case 'required':
        return next() < 0.2 ? [...names(), ...names()] : names()
      case 'items':
        return next() < 0.8 ? some() : [some(), some()]
      case 'enum':
        return next() < 0.7 ? names() : [1, null, 'a']
      case 'anyOf':
      case 'allOf':
        return [some(), some()]
      case 'not':
        return some()
      default:
        return odd()
    }
  }
  if (next() < 0.05) return odd()
  // Most schemas are objects with properties, or lists.
  const likely = pick([['type', 'properties', 'required'], ['type', 'items'], ['type'], []])
  const keywords = [...new Set([...likely, ...KEYWORDS.filter(() => next() < 0.08)])].sort(() => next() - 0.5)
  const type = likely.includes('properties') ? 'object' : likely.includes('items') ? 'array' : null
  const entry = (keyword: string): [string, Json] => [
    keyword,
    keyword === 'type' && type !== null && next() < 0.9 ? type : value(keyword),
  ]
  return new Map(keywords.map(entry))
}

const SEEDS = Array.from({ length: 1_500 }, (_, index) => index)

/** All parts that have fields, the outermost first. */
function partsWithFields(part: Part): Part[] {
  const inner = [...(part.fields ?? []).map((field) => field.part), ...(part.items === null ? [] : [part.items])]
  return [...(part.fields === null ? [] : [part]), ...inner.flatMap(partsWithFields)]
}

describe('any schema', () => {
  it('is written unchanged if it was not edited', () => {
    let shown = 0
    for (const seed of SEEDS) {
      const schema = anySchema(random(seed), 3)
      const part = readSchema(schema)
      expect(write(writeSchema(part)), `seed ${seed}`).toBe(write(schema))
      shown += countFields(part)
    }
    expect(shown).toBeGreaterThan(1_000)
  })

  it('is written unchanged after a change is reverted', () => {
    let changed = 0
    for (const seed of SEEDS) {
      for (const part of partsWithFields(readSchema(anySchema(random(seed), 3)))) {
        const before = write(writeSchema(part))
        const fields = part.fields ?? []
        const after = (list: readonly (typeof fields)[number][]) => write(writeSchema(withFields(part, list)))
        const { fields: more, added } = withNewField(fields)
        if (fields.length > 0) expect(after(withoutField(more, added.id)), `seed ${seed}`).toBe(before)
        const [first] = fields
        if (first === undefined) continue
        changed += 1
        const renamed = withField(fields, { ...first, name: 'another name' })
        expect(after(withField(renamed, { ...first })), `seed ${seed}`).toBe(before)
        expect(after(movedField(movedField(fields, 0, fields.length - 1), fields.length - 1, 0))).toBe(before)
        if (part.required === null || !first.required) continue
        const twice = withField(withField(fields, { ...first, required: false }), first)
        expect(after(twice), `seed ${seed}`).toBe(before)
      }
    }
    expect(changed).toBeGreaterThan(200)
  })

  it('loses no keyword: each is shown or listed as kept', () => {
    for (const seed of SEEDS) {
      const part = readSchema(anySchema(random(seed), 3))
      if (typeOf(part.keywords) === 'other' || !isMap(part.keywords)) continue
      const kept = keptKeywords(part)
      for (const keyword of ['$ref', 'anyOf', 'allOf', 'title', 'default', 'x-key', 'patternProperties', 'not', '$defs']) {
        expect(kept.includes(keyword), `seed ${seed} ${keyword}`).toBe(part.keywords.has(keyword))
      }
    }
  })
})

const REVIEW = parse(`{"$schema":"x","type":"object","required":["ghost","b","a"],"properties":{
  "a":{"type":"string","minLength":1,"x-key":true},"b":{"type":["integer","null"],"minimum":0},
  "c":{"type":"array","items":{"type":"object","properties":{"d":{"enum":["x","y"]}}}},"e":{"anyOf":[true]}},
  "additionalProperties":false}`)

const written = (part: Part) => write(writeSchema(part))

describe('changes', () => {
  const part = readSchema(REVIEW)
  const fields = part.fields ?? []
  const [a, b] = fields
  if (a === undefined || b === undefined) throw new Error('the fields are gone')

  it('shows types and lists kept keywords', () => {
    expect(fields.map((field) => typeOf(field.part.keywords))).toEqual(['string', 'integer', 'array', 'other'])
    expect(keptKeywords(part)).toEqual(['$schema'])
    expect(keptKeywords(a.part)).toEqual(['x-key'])
    expect(countFields(part)).toBe(5)
  })

  it('renames a field in place, including in required', () => {
    const text = written(withFields(part, withField(fields, { ...b, name: 'count' })))
    expect(text).toContain('"required":["ghost","count","a"]')
    expect(text.indexOf('"count":{')).toBeGreaterThan(text.indexOf('"a":{'))
  })

  it('removes a field, including from required', () => {
    expect(written(withFields(part, withoutField(fields, a.id)))).toContain('"required":["ghost","b"]')
  })

  it('sets and removes one keyword without touching others', () => {
    const set = withKeyword(a.part, 'maxLength', 5)
    expect(written(set)).toBe('{"type":"string","minLength":1,"x-key":true,"maxLength":5}')
    expect(written(withKeyword(set, 'maxLength', undefined))).toBe(written(a.part))
    expect(written(withKeyword(part, 'description', 'd')).startsWith('{"$schema":"x","type":"object","description":"d","required"')).toBe(true)
  })

  it('changes the type and keeps the keywords that still apply', () => {
    expect(written(withType(a.part, 'boolean'))).toBe('{"type":"boolean","x-key":true}')
    expect(written(withType(b.part, 'number'))).toBe('{"type":["number","null"],"minimum":0}')
    expect(written(withType(b.part, 'enum'))).toBe('{"type":"string","enum":[]}')
    const other = readSchema(parse('{"description":"d","oneOf":[true],"x":1}'))
    expect(written(withType(other, 'string'))).toBe('{"type":"string","description":"d"}')
    expect(written(withNullable(a.part, true))).toContain('"type":["string","null"]')
    expect(written(withNullable(withNullable(b.part, false), true))).toBe(written(b.part))
  })

  it('wraps an object into a list and unwraps it again', () => {
    const list = withShape(part, 'list')
    expect([shapeOf(part), shapeOf(list)]).toEqual(['single', 'list'])
    expect(written(list).startsWith('{"$schema":"x","type":"array","items":{"type":"object"')).toBe(true)
    expect(written(withShape(list, 'single'))).toBe(written(part))
    expect(written(freshRoot('list'))).toContain('"items":{"type":"object"')
    expect(shapeOf(withShape(readSchema(true), 'single'))).toBe('single')
  })

  it('reports duplicate and missing names', () => {
    const { fields: more, added } = withNewField(fields)
    expect(added.name).toBe('field_5')
    expect([...nameProblems(withFields(part, withField(more, { ...added, name: 'a' }))).values()]).toEqual(['A field named a already exists'])
    expect([...nameProblems(withFields(part, withField(more, { ...added, name: '' }))).values()]).toEqual(['A field needs a name'])
    expect(nameProblems(part).size).toBe(0)
  })
})
