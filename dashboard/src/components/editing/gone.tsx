import { Button } from '@/components/ui'
import { Notice } from './notice'

interface Props {
  name: string
  /** Whether it was defined in a file. If it is created again, it is saved in the database. */
  wasFile: boolean
  /** Whether the page's version can be saved now. */
  ready: boolean
  onCreate: () => void
}

/** Shown when the edited object was deleted elsewhere. The page may hold the only copy. */
export function Gone({ name, wasFile, ready, onCreate }: Props) {
  return (
    <Notice tone="warning">
      <p>
        {name} was deleted elsewhere while you had it open. Your version is still in this page, and you can create it
        again{wasFile ? '; it will be saved in the database, not in a file' : ''}.
      </p>
      <Button size="small" disabled={!ready} onClick={onCreate}>
        Create again
      </Button>
    </Notice>
  )
}
