/** Sample inputs from an agent's input schema. */
import { resolved } from '@/components/schema-form/controls'
import { type Json, isList, isMap } from '@/lib/lossless'

/** The `examples` of a schema, or one sample combined from the examples and defaults of its properties. */
export function samplesOf(schema: Json): Json[] {
  const root = resolved(schema, schema)
  if (!isMap(root)) return []
  const whole = root.get('examples')
  if (isList(whole) && whole.length > 0) return [...whole]
  const properties = root.get('properties')
  const required = root.get('required')
  if (!isMap(properties)) return []
  const sample = new Map<string, Json>()
  let fromExamples = false
  for (const [name, part] of properties) {
    const property = resolved(part, schema)
    const examples = isMap(property) ? property.get('examples') : undefined
    const example = isList(examples) ? examples[0] : undefined
    const value = example ?? (isMap(property) ? (property.get('default') ?? property.get('const')) : undefined)
    fromExamples ||= example !== undefined
    if (value !== undefined) sample.set(name, value)
    else if (isList(required) && required.includes(name)) return []
  }
  return fromExamples ? [sample] : []
}
