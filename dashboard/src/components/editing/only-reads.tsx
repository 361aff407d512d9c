import { otherKey } from '@/api/access'
import { useRights } from '@/api/role'
import { Button } from '@/components/ui'
import { Notice } from './notice'

interface Props {
  /** What is shown: "agents". */
  what: string
  /** Whether something was changed, with the key before. */
  changed: boolean
}

/** That the key which somebody has only reads here, and the way to another one. */
export function OnlyReads({ what, changed }: Props) {
  const { role, administers } = useRights()
  if (administers) return null
  return (
    <Notice tone="warning">
      <p>
        Your key has the role {role}: you can view {what} but not change them.
        {changed ? ' Your changes are still in this page; an admin key can save them.' : ''}
      </p>
      <Button size="small" onClick={otherKey}>
        Use another key
      </Button>
    </Notice>
  )
}
