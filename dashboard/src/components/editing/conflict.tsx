import { Button, Dialog } from '@/components/ui'
import { type Json, type JsonMap, isMap, write } from '@/lib/lossless'
import { changedParts, merged } from './parts'

interface Props {
  name: string
  /** The common base, the user's version and the stored version. */
  base: Json
  mine: JsonMap
  theirs: Json
  onClose: () => void
  onTakeTheirs: () => void
  /** Continues with this document, based on the stored version. */
  onContinue: (document: JsonMap) => void
}

/** Shown when somebody else saved first: both versions side by side, and the ways to resolve the conflict. */
export function Conflict({ name, base, mine, theirs, onClose, onTakeTheirs, onContinue }: Props) {
  const ours = changedParts(base, mine)
  const others = changedParts(base, theirs)
  const parts = [...new Set([...ours, ...others])]
  const both = merged(base, mine, theirs)
  return (
    <Dialog open onClose={onClose} title={`${name} was changed elsewhere`} className="w-[min(64rem,calc(100vw-2rem))]">
      <div className="flex flex-col gap-4">
        <p>
          Nothing was saved. You changed <Names names={ours} />; somebody else changed <Names names={others} /> and saved it first.
        </p>
        <div className="grid gap-3 sm:grid-cols-2">
          <Side title="Yours" value={mine} parts={parts} />
          <Side title="Theirs (saved)" value={theirs} parts={parts} />
        </div>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onTakeTheirs}>Use theirs</Button>
          {both === null ? null : (
            <Button variant="primary" onClick={() => onContinue(both)}>
              Keep both
            </Button>
          )}
          <Button variant={both === null ? 'primary' : 'secondary'} onClick={() => onContinue(mine)}>
            Keep mine
          </Button>
        </div>
        <p className="text-right text-muted">You can review the result before saving.</p>
      </div>
    </Dialog>
  )
}

function Names({ names }: { names: string[] }) {
  if (names.length === 0) return <>nothing</>
  return (
    <>
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 ? ', ' : ''}
          <code>{name}</code>
        </span>
      ))}
    </>
  )
}

function Side({ title, value, parts }: { title: string; value: Json; parts: string[] }) {
  const shown = isMap(value) ? new Map([...value].filter(([key]) => parts.includes(key))) : value
  return (
    <section className="flex min-w-0 flex-col gap-1">
      <h3 className="font-medium">{title}</h3>
      <pre tabIndex={0} aria-label={title} className="max-h-80 overflow-auto rounded-md bg-sunken px-3 py-2">
        {write(shown, 2)}
      </pre>
    </section>
  )
}
