/** How many runs each runner works on. */
export function busyOf(runs: { runner_id?: string | null }[]): Map<string, number> {
  const busy = new Map<string, number>()
  for (const { runner_id: id } of runs) if (id) busy.set(id, (busy.get(id) ?? 0) + 1)
  return busy
}
