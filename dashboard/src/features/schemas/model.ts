/** What is at the first level of a schema, in a few words. */
export function shapeOf(schema: Record<string, unknown>): string {
  const properties = schema['properties']
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'any'
  if (typeof properties !== 'object' || properties === null) return type
  const names = Object.keys(properties)
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown}, … ${names.length} fields` : shown
}

/** The schema of a text, or what is wrong with the text. */
export function readSchema(text: string): { schema: Record<string, unknown> } | { wrong: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { wrong: 'a schema is a JSON object' }
  return { schema: value as Record<string, unknown> }
}

export const EXAMPLE = `{
  "type": "object",
  "required": ["title", "severity"],
  "additionalProperties": false,
  "properties": {
    "title": { "type": "string", "minLength": 1 },
    "severity": { "type": "string", "enum": ["low", "medium", "high"] }
  }
}
`
