import { askForAnotherKey } from '@/api/access'
import { useRights } from '@/api/role'
import { Button } from '@/components/ui'
import { Notice } from './notice'

interface Props {
  /** What the page shows, for example "agents". */
  what: string
  /** Whether there are unsaved changes, made with a previous key. */
  changed: boolean
}

/** Explains that the key is read-only, with a button to use another one. */
export function ReadOnlyNotice({ what, changed }: Props) {
  const { role, administers } = useRights()
  if (administers) return null
  return (
    <Notice tone="warning">
      <p>
        Your key has the role {role}: you can view {what} but not change them.
        {changed ? ' Your changes are still in this page; an admin key can save them.' : ''}
      </p>
      <Button size="small" onClick={askForAnotherKey}>
        Use another key
      </Button>
    </Notice>
  )
}
