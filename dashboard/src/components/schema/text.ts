/** Parses the text of a schema in JSON or YAML. */
import type { Finding } from '@/components/code/types'
import { type Json, parse } from '@/lib/lossless'
import { YamlError, readYaml } from '@/lib/yaml-text'
import { locateInJson } from './findings'

export type Notation = 'json' | 'yaml'

interface Reading {
  value: Json | null
  mistake: Finding | null
  locate: ReturnType<typeof locateInJson>
}

export function readText(text: string, notation: Notation): Reading {
  try {
    if (notation === 'json') return { value: parse(text), mistake: null, locate: locateInJson(text) }
    const { value, locate } = readYaml(text)
    return { value, mistake: null, locate }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const from = offsetOf(error, message, text)
    return { value: null, mistake: { from, to: from + 1, severity: 'error', message }, locate: locateInJson('') }
  }
}

/** The offset of a syntax error. Each browser words its JSON errors differently. */
function offsetOf(error: unknown, message: string, text: string): number {
  if (error instanceof YamlError) return error.offset
  const position = /position (\d+)/.exec(message)?.[1]
  return position === undefined ? Math.max(0, text.trimEnd().length - 1) : Number(position)
}
