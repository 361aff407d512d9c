/** The output contracts of the agents in a workflow. */
import { useQueries } from '@tanstack/react-query'
import { contractQuery } from '@/api/queries'
import { countFields, readSchema } from '@/components/builder/model'
import type { Graph } from '@/components/graph'
import { fromPlain } from '@/lib/lossless'

export interface OwnContract {
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
          data?.output_schema
            ? [[data.agent_name, { fields: countFields(readSchema(fromPlain(data.output_schema))), replaceable: data.is_default }]]
            : [],
        ),
      ),
  })
}
