/** The contracts of the agents in a workflow. */
import { useQueries } from '@tanstack/react-query'
import type { Api } from '@/api'
import { contractQuery } from '@/api/queries'
import { countFields, readSchema } from '@/components/builder/model'
import type { Graph } from '@/components/graph'
import { type Json, fromPlain } from '@/lib/lossless'

export interface OwnContract {
  /** The schema of its input. */
  input: Json
  output: OwnOutput | null
}

export interface OwnOutput {
  fields: number
  /** Whether a node may replace it. */
  replaceable: boolean
}

export type Contracts = Readonly<Record<string, OwnContract | undefined>>

/** The contracts of all agents in a graph. */
export function useContracts(graph: Graph): Contracts {
  const names = [...new Set(graph.nodes.flatMap((node) => (node.worker?.kind === 'agent' && node.worker.name !== '' ? [node.worker.name] : [])))]
  return useQueries({
    queries: names.map((name) => contractQuery(name)),
    combine: (answers) =>
      Object.fromEntries(
        answers.flatMap(({ data }) =>
          data ? [[data.agent_name, { input: fromPlain(data.parameters_schema), output: outputOf(data) }]] : [],
        ),
      ),
  })
}

function outputOf({ output_schema, is_default }: Api.AgentContract): OwnOutput | null {
  return output_schema ? { fields: countFields(readSchema(fromPlain(output_schema))), replaceable: is_default } : null
}
