import { Play, Redo2, RotateCcw, Save, Trash2, Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { messageOf } from '@/api'
import { useRights } from '@/api/role'
import { Button, Confirm } from '@/components/ui'
import type { Workflow } from './api'
import { useDraft } from './draft'
import type { Saving } from './use-saving'

interface Props {
  base: Workflow | null
  changed: boolean
  saving: Saving
  onRun: () => void
}

/** The undo, discard, save, delete and run buttons. */
export function EditorActions({ base, changed, saving, onRun }: Props) {
  const draft = useDraft()
  const [removing, setRemoving] = useState(false)
  const { save } = saving
  const { administers, calls } = useRights()
  const ready = administers && saving.ready && !saving.gone && (base === null || changed)
  useShortcuts({ save: () => ready && save.mutate(draft.document), undo: draft.undo, redo: draft.redo })
  return (
    <>
      {/* Without the right to save, changes made with another key can still be undone. */}
      <div className={administers || changed ? 'flex' : 'hidden'}>
        <Button variant="ghost" size="icon" aria-label="Undo" title="Undo: Ctrl+Z" disabled={draft.undo === null} onClick={() => draft.undo?.()}>
          <Undo2 aria-hidden />
        </Button>
        <Button variant="ghost" size="icon" aria-label="Redo" title="Redo: Ctrl+Shift+Z" disabled={draft.redo === null} onClick={() => draft.redo?.()}>
          <Redo2 aria-hidden />
        </Button>
      </div>
      {base === null || !administers ? null : (
        <Button variant="ghost" size="icon" aria-label="Delete the workflow" title="Delete" onClick={() => setRemoving(true)}>
          <Trash2 aria-hidden />
        </Button>
      )}
      {base !== null && changed ? (
        <Button onClick={() => saving.resetTo(base)}>
          <RotateCcw aria-hidden /> Discard
        </Button>
      ) : null}
      {base === null || !calls ? null : (
        <Button onClick={onRun}>
          <Play aria-hidden /> Run
        </Button>
      )}
      {administers || changed ? (
        <Button variant="primary" disabled={!ready} title="Ctrl+S" onClick={() => save.mutate(draft.document)}>
          <Save aria-hidden /> {base === null ? 'Create workflow' : 'Save'}
        </Button>
      ) : null}
      {base === null ? null : <Remove open={removing} onClose={() => setRemoving(false)} workflow={base} saving={saving} />}
    </>
  )
}

interface RemoveProps {
  open: boolean
  onClose: () => void
  workflow: Workflow
  saving: Saving
}

function Remove({ open, onClose, workflow, saving: { remove } }: RemoveProps) {
  const { file, summary } = workflow.view
  return (
    <Confirm
      open={open}
      onClose={() => {
        onClose()
        remove.reset()
      }}
      title={`Delete ${summary.name}?`}
      confirmLabel="Delete the workflow"
      busy={remove.isPending}
      error={remove.error ? messageOf(remove.error) : undefined}
      onConfirm={() => remove.mutate(workflow)}
    >
      {file ? (
        <>
          Deletes its file <code className="break-all">{file}</code>.
        </>
      ) : (
        'Deletes it from the database.'
      )}{' '}
      Its runs are kept.
    </Confirm>
  )
}

interface Shortcuts {
  save: () => void
  undo: (() => void) | null
  redo: (() => void) | null
}

/** Ctrl+S everywhere. Ctrl+Z and Ctrl+Shift+Z except in text fields, where they undo the typing. */
function useShortcuts({ save, undo, redo }: Shortcuts): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey)) return
      const key = event.key.toLowerCase()
      if (key === 's') {
        event.preventDefault()
        save()
      }
      if (event.composedPath().some(isTextField)) return
      const action = key === 'y' || (key === 'z' && event.shiftKey) ? redo : key === 'z' ? undo : undefined
      if (action === undefined) return
      event.preventDefault()
      action?.()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  })
}

function isTextField(target: EventTarget): boolean {
  if (!(target instanceof HTMLElement)) return false
  const typed = target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)
  return typed || target instanceof HTMLTextAreaElement || target.isContentEditable
}
