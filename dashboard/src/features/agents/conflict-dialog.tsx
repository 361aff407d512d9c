import { Button, Dialog } from '@/components/ui'
import { type Json, isMap, write } from '@/lib/lossless'
import type { Agent } from './api'
import { useDraft } from './draft'
import { changedParts, merged, tidied } from './model'
import type { Saving } from './use-saving'

/** Somebody else saved meanwhile: both changes, side by side, and what can be done. */
export function ConflictDialog({ base, saving }: { base: Agent | null; saving: Saving }) {
  const draft = useDraft()
  const { save, stored } = saving
  const open = saving.isConflict && base !== null && stored !== null && stored.view.hash !== base.view.hash
  if (!open) return null
  const mine = tidied(draft.blueprint)
  const theirs = stored.blueprint
  const ours = changedParts(base.blueprint, mine)
  const others = changedParts(base.blueprint, theirs)
  const both = merged(base.blueprint, mine, theirs)
  const goOn = (blueprint: typeof mine) => {
    // From here on, what they saved is what is built upon.
    saving.setBase(stored)
    draft.replace(blueprint)
    save.reset()
  }
  return (
    <Dialog
      open
      onClose={() => save.reset()}
      title={`${base.view.summary.name} was changed elsewhere`}
      className="w-[min(64rem,calc(100vw-2rem))]"
    >
      <div className="flex flex-col gap-4">
        <p>
          Nothing was saved. You changed <Names names={ours} />; somebody else changed <Names names={others} /> and saved it first.
        </p>
        <div className="grid gap-3 sm:grid-cols-2">
          <Side title="Yours" value={mine} parts={[...new Set([...ours, ...others])]} />
          <Side title="Theirs, as it is saved" value={theirs} parts={[...new Set([...ours, ...others])]} />
        </div>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={() => saving.taken(stored)}>Take theirs</Button>
          {both === null ? null : (
            <Button variant="primary" onClick={() => goOn(both)}>
              Keep both
            </Button>
          )}
          <Button variant={both === null ? 'primary' : 'secondary'} onClick={() => goOn(mine)}>
            Keep mine
          </Button>
        </div>
        <p className="text-right text-muted">You look at it once more before it is saved.</p>
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
