import type { Api } from '@/api'
import { plain } from '@/lib/inert'
import { Fact } from './fact'

/** Who requested a run: the name of the key and the run that started it. Empty if no key was needed. */
export function RequestedBy({ by }: { by: Api.RequestedBy | null | undefined }) {
  if (!by?.key_id && !by?.run_id) return null
  const key = plain(by.key_name ?? '') || by.key_id
  return (
    <Fact label="Requested by">
      <span title={[by.key_id, by.run_id].filter(Boolean).join(', ')} className="[overflow-wrap:anywhere]">
        {[key, by.run_id && `run ${by.run_id}`].filter(Boolean).join(' through ')}
      </span>
    </Fact>
  )
}
