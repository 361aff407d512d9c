import { Button } from '@/components/ui'
import { Notice } from './notice'

interface Props {
  name: string
  /** Whether it lived in a file: what is made again does not. */
  wasFile: boolean
  /** Whether what is on the page can be sent now. */
  ready: boolean
  onCreate: () => void
}

/** Somebody else deleted what is being edited. What is on the page may be all that is left of it. */
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
