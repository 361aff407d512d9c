import { useNavigate } from '@tanstack/react-router'
import { RotateCcw, Save, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { messageOf } from '@/api'
import { useRights } from '@/api/role'
import { Button, Confirm } from '@/components/ui'
import { isMap } from '@/lib/lossless'
import type { Agent } from './api'
import { useDraft } from './draft'
import type { Saving } from './use-saving'

interface Props {
  base: Agent | null
  changed: boolean
  saving: Saving
}

/** The save, discard and delete buttons. */
export function EditorActions({ base, changed, saving }: Props) {
  const draft = useDraft()
  const [removing, setRemoving] = useState(false)
  const { save, remove } = saving
  const { administers } = useRights()
  const discard = () => {
    if (base !== null && isMap(base.blueprint)) draft.reset(base.blueprint)
    save.reset()
  }
  const navigate = useNavigate()
  const submit = () => {
    if (draft.askForName === null) return save.mutate(draft.blueprint)
    draft.askForName()
    void navigate({ to: '.', search: (before: object) => ({ ...before, tab: 'general' }), replace: true })
    // The tab may have to be rendered first.
    setTimeout(() => document.querySelector<HTMLElement>('[data-agent-name]')?.focus())
  }
  const ready = administers && saving.ready && !saving.gone && (base === null || changed)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      if (ready) submit()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  })
  return (
    <>
      {base === null || !administers ? null : (
        <Button variant="danger" onClick={() => setRemoving(true)}>
          <Trash2 aria-hidden /> Delete
        </Button>
      )}
      {base !== null && changed ? (
        <Button onClick={discard}>
          <RotateCcw aria-hidden /> Discard
        </Button>
      ) : null}
      {administers || changed ? (
        <Button variant="primary" disabled={!ready} title="Ctrl+S" onClick={submit}>
          <Save aria-hidden /> {base === null ? 'Create agent' : 'Save'}
        </Button>
      ) : null}
      {base === null ? null : (
        <Confirm
          open={removing}
          onClose={() => {
            setRemoving(false)
            remove.reset()
          }}
          title={`Delete ${base.view.summary.name}?`}
          confirmLabel="Delete the agent"
          busy={remove.isPending}
          error={remove.error ? messageOf(remove.error) : undefined}
          onConfirm={() => remove.mutate(base)}
        >
          {!base.view.file ? (
            'Deletes it from the database.'
          ) : (
            <>
              Deletes its file <code className="break-all">{base.view.file}</code>, and the prompt file next to it.
            </>
          )}{' '}
          Its sessions and runs are kept.
        </Confirm>
      )}
    </>
  )
}
