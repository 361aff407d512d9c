import { describe, expect, it } from 'vitest'
import { Exact, at, fromPlain, parse, same, toPlain, typedNumber, withAt, write } from './lossless'
import { isWithin, pathParts, pointerOf } from './paths'
import { readYaml, writeYaml } from './yaml-text'

const TEXT = '{"b":1,"10":{"2":1.0,"1":12345678901234567890},"a":["é\\n",null,true,[],{}],"":1e400}'

describe('lossless JSON', () => {
  it('writes exactly what it read', () => {
    expect(write(parse(TEXT))).toBe(TEXT.replace('\\n', '\\n'))
    expect(write(parse(write(parse(TEXT), 2)))).toBe(TEXT)
  })

  it('indents as JSON.stringify does', () => {
    const value = { a: [1, { b: 'x' }, [], {}], c: null }
    expect(write(fromPlain(value), 2)).toBe(JSON.stringify(value, null, 2))
  })

  it.each(['{"a":1,}', '{"a" 1}', '', '{"a":1,"a":2}', '['.repeat(500) + ']'.repeat(500)])('rejects %.20s', (text) => {
    expect(() => parse(text)).toThrow(SyntaxError)
  })

  it('sets members in place, creates missing objects and removes empty ones', () => {
    const map = new Map([['a', 1 as const], ['b', 2]])
    expect(write(withAt(map, ['a'], 3))).toBe('{"a":3,"b":2}')
    const deep = withAt(map, ['c', 'd'], true)
    expect(write(deep)).toBe('{"a":1,"b":2,"c":{"d":true}}')
    expect(write(withAt(deep, ['c', 'd'], undefined))).toBe('{"a":1,"b":2}')
  })

  it('reads typed numbers', () => {
    expect([typedNumber(' 5 '), typedNumber('1.50'), typedNumber('x'), typedNumber('')]).toEqual([5, new Exact('1.50'), null, null])
    expect(toPlain(new Exact('1.50'))).toBe(1.5)
  })

  it('looks up paths and compares values', () => {
    const value = parse(TEXT)
    expect(at(value, 'a', '0')).toBe('é\n')
    expect(at(value, 'a', 'x', 'y')).toBeUndefined()
    expect(same(value, parse(TEXT))).toBe(true)
    expect(same(parse('{"a":1,"b":2}'), parse('{"b":2,"a":1}'))).toBe(false)
  })
})

describe('YAML', () => {
  it('round-trips values, including numbers and member order', () => {
    const value = parse(TEXT.replace(',"":1e400', ',"yes":"no","n":1e3'))
    const yaml = writeYaml(value)
    expect(write(readYaml(yaml).value)).toBe(write(value))
    expect(yaml).toContain('12345678901234567890')
  })

  it('locates values', () => {
    const text = 'a:\n  b: [x, y]\n'
    const { start, end } = readYaml(text).locate(['a', 'b', '1'])
    expect(text.slice(start, end)).toBe('y')
  })

  it.each(['a: [', 'a: .inf', 'a: 1\na: 2', 'a: &x [1]\nb: *y'])('rejects %s', (text) => {
    expect(() => readYaml(text)).toThrow()
  })

  it('rejects aliases that expand too far', () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]']
    for (let depth = 1; depth < 9; depth += 1) {
      lines.push(`a${depth}: &a${depth} [${Array(10).fill(`*a${depth - 1}`).join(',')}]`)
    }
    expect(() => readYaml(lines.join('\n'))).toThrow('too large')
  })
})

it('reads paths as the server writes them', () => {
  expect(pathParts('$.issues[0]["a b"].x-y')).toEqual(['issues', '0', 'a b', 'x-y'])
  expect(pathParts('$')).toEqual([])
  expect(pointerOf(['a/b', '~', '0'])).toBe('/a~1b/~0/0')
  expect([isWithin(['a', 'b'], ['a']), isWithin(['a'], ['a', 'b'])]).toEqual([true, false])
})
