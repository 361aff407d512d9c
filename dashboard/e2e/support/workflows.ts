/** Workflows for tests. */
export const FINDINGS = {
  type: 'object',
  required: ['findings'],
  properties: {
    findings: {
      type: 'array',
      items: {
        type: 'object',
        required: ['file', 'line', 'severity', 'description'],
        properties: {
          file: { type: 'string' }, line: { type: 'integer' }, severity: { type: 'string' }, description: { type: 'string' },
        },
      },
    },
  },
}

export const SLOW = `
name: slow
nodes:
  input: { type: input }
  left: { type: agent, agent: left, prompt: Look }
  right: { type: agent, agent: right, prompt: Look }
  writer: { type: agent, agent: scribe, prompt: Write }
  output: { type: output }
edges:
  - { from: input, to: left }
  - { from: input, to: right }
  - { from: left, to: writer }
  - { from: right, to: writer }
  - { from: writer, to: output }
`

export const HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script> [x](javascript:alert(3)) \u202Eevil'

export const finding = (severity: string) =>
  JSON.stringify({ findings: [{ file: '<b>a.rs</b>', line: 7, severity, description: `${severity}: ${HOSTILE}` }] })

export const MANY = `
name: many
nodes:
  input: { type: input }
  each:
    type: map
    over: "{{ input.items }}"
    agent: measure
    parameters: { text: "{{ item }}" }
    on_failure: { retry: 1, then: continue }
  work: { type: planner, agent: planner, agents: [helper], prompt: Plan }
  enough: { type: check, assert: each.size() > 9, message: there are too few, severity: warn }
  never: { type: agent, agent: measure, parameters: { text: x } }
  output: { type: output, value: { sizes: "{{ each }}", plan: "{{ work }}" } }
edges:
  - { from: input, to: each }
  - { from: input, to: work }
  - { from: each, to: enough }
  - { from: input, to: never, when: "size(input.items) > 100" }
  - { from: never, to: output }
  - { from: each, to: output }
  - { from: work, to: output }
  - { from: enough, to: output }
`

export const MEASURE = `
name: measure
description: Measures a text
type: procedural
executor:
  type: process
  command: sh
  args: ["-c", "test \\"$1\\" = bad && { echo cannot be measured >&2; exit 3; }; printf '{\\"size\\": %d}' \${#1}"]
  parameters_as: flags
parameters_schema: { type: object, required: [text], properties: { text: { type: string } } }
`

export const BREAKS = `
name: breaks
nodes:
  input: { type: input }
  broken: { type: agent, agent: measure, parameters: { text: bad } }
  output: { type: output }
edges:
  - { from: input, to: broken }
  - { from: broken, to: output }
`
