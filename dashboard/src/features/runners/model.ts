import type { Api } from '@/api'

/** The number of active runs of each runner. */
export function busyOf(runs: { runner_id?: string | null }[]): Map<string, number> {
  const busy = new Map<string, number>()
  for (const { runner_id: id } of runs) if (id) busy.set(id, (busy.get(id) ?? 0) + 1)
  return busy
}

/** What is known about one model at one endpoint. */
export interface Learned {
  endpoint: string
  model: string
  /** Entries that apply to all schemas. */
  features: Api.EndpointFact[]
  /** The number of entries for a single schema. */
  schemas: number
  lastSeen: string
}

/** Groups entries by endpoint and model. */
export function learnedOf(facts: readonly Api.EndpointFact[]): Learned[] {
  const groups = new Map<string, Learned>()
  for (const fact of facts) {
    const { endpoint, model, feature, last_seen: seen } = fact
    const key = JSON.stringify([endpoint, model])
    const group = groups.get(key) ?? { endpoint, model, features: [], schemas: 0, lastSeen: seen }
    if (feature.includes('#')) group.schemas += 1
    else group.features.push(fact)
    if (Date.parse(seen) > Date.parse(group.lastSeen)) group.lastSeen = seen
    groups.set(key, group)
  }
  return [...groups.values()]
}
