import { ApiError, messageOf } from '@/api'
import { CopyButton } from '@/components/command'
import { Button } from '@/components/ui'
import { Gone } from './gone'
import { Notice, problemsIn } from './notice'
import { Problems } from './problems'

interface Props {
  /** The stored version that is being edited; null for a new one. */
  base: { view: { summary: { name: string }; file?: string | null } } | null
  /** Fields whose text is not a value yet. */
  unread: readonly string[]
  saving: { isNewer: boolean; gone: boolean; ready: boolean; refusal: Error | null }
  onTakeTheirs: () => void
  onCreate: () => void
  /** The page's version, to copy if it cannot be saved. */
  written: { name: string; text: () => string }
}

/** Why saving is not possible, and what changed elsewhere in the meantime. */
export function Notices({ base, unread, saving, onTakeTheirs, onCreate, written }: Props) {
  return (
    <>
      {unread.length > 0 ? (
        <Notice tone="warning">
          <p className="[overflow-wrap:anywhere]">Cannot be saved yet: {unread.join('; ')}</p>
        </Notice>
      ) : null}
      {saving.isNewer && base !== null ? (
        <Notice tone="warning">
          <p>{base.view.summary.name} was changed elsewhere while you edited it. Saving shows both versions and asks.</p>
          <Button size="small" onClick={onTakeTheirs}>
            Use their version
          </Button>
        </Notice>
      ) : null}
      {saving.gone && base !== null ? (
        <Gone name={base.view.summary.name} wasFile={Boolean(base.view.file)} ready={saving.ready} onCreate={onCreate} />
      ) : null}
      {saving.refusal ? <Refused error={saving.refusal} written={written} /> : null}
    </>
  )
}

function Refused({ error, written }: { error: Error; written: Props['written'] }) {
  if (error instanceof ApiError && error.error.endsWith('ReadOnly')) {
    return (
      <Notice tone="danger">
        <p className="font-medium">This cannot be saved here.</p>
        <p className="break-words">{error.message}</p>
        <p className="flex flex-wrap items-center gap-1 text-ink">
          Your changes are still in this page. Copy the {written.name} and put it in the file yourself:
          <CopyButton text={written.text()} label={`Copy the ${written.name}`} />
        </p>
      </Notice>
    )
  }
  return (
    <Notice tone="danger">
      <p className="break-words">{messageOf(error)}</p>
      <Problems problems={problemsIn(error)} />
    </Notice>
  )
}
